// What the pages do beyond links and forms: calls as they happen, a call opened in place, and keys. All of it can fail:
// without it every page still works by loading.

for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", () => form.requestSubmit());
}

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.sure;
  if (question && !window.confirm(question)) event.preventDefault();
});

document.addEventListener("click", async (event) => {
  const copied = event.target.closest("[data-copy]");
  if (copied) {
    const field = document.getElementById(copied.dataset.copy);
    field.select();
    await navigator.clipboard?.writeText(field.value);
    copied.textContent = "Copied";
  }
  const call = event.target.closest(".timeline .call");
  if (call && !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    await toggle(call);
  }
});

/** Open or close a call below its row. */
async function toggle(call) {
  const step = call.parentElement;
  const open = step.querySelector(":scope > .detail");
  if (open) {
    open.remove();
    step.classList.remove("open");
    call.setAttribute("aria-expanded", "false");
    return;
  }
  const markup = await fragment(call.href);
  if (markup === null) {
    location.href = call.href;
    return;
  }
  step.insertAdjacentHTML("beforeend", markup);
  step.classList.add("open");
  call.setAttribute("aria-expanded", "true");
}

/** A part of a page from our own server, which has escaped everything in it; null where it cannot be had. */
async function fragment(address) {
  const url = new URL(address, location.href);
  url.searchParams.set("fragment", "");
  try {
    const response = await fetch(url, { redirect: "error" });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key !== "j" && event.key !== "k") return;
  const calls = [...document.querySelectorAll(".timeline .call")];
  const now = calls.indexOf(document.activeElement?.closest?.(".call"));
  calls[Math.max(0, Math.min(calls.length - 1, now + (event.key === "j" ? 1 : -1)))]?.focus();
});

/** Listen to what happens; says in the page whether it is connected. */
function listen(address, handlers) {
  const status = document.querySelector("[data-status]");
  const say = (text, on) => {
    if (status) {
      status.textContent = text;
      status.classList.toggle("on", on);
    }
  };
  const source = new EventSource(address);
  source.addEventListener("open", () => say("live", true));
  source.addEventListener("error", () => say("connection lost, trying again", false));
  source.addEventListener("gone", (event) => {
    source.close();
    say(event.data, false);
  });
  for (const [name, handler] of Object.entries(handlers)) source.addEventListener(name, handler);
  window.addEventListener("pagehide", () => source.close());
}

const MOST_ROWS = 200;
const timeline = document.querySelector(".timeline[data-live]");
if (timeline) {
  listen(timeline.dataset.live, {
    calls: (event) => {
      const news = JSON.parse(event.data);
      count(news);
      const holder = document.createElement("template");
      holder.innerHTML = news.rows;
      for (const row of holder.content.querySelectorAll(".step")) row.classList.add("new");
      if (news.missed) {
        const more = document.createElement("li");
        more.className = "step more";
        more.textContent = "Further calls came in between; reload to see them.";
        holder.content.append(more);
      }
      const known = new Set([...timeline.querySelectorAll("[data-step]")].map((row) => row.dataset.step));
      for (const row of holder.content.querySelectorAll("[data-step]")) if (known.has(row.dataset.step)) row.remove();
      timeline.prepend(holder.content);
      document.querySelector(".empty")?.remove();
      while (timeline.children.length > MOST_ROWS) timeline.lastElementChild.remove();
    },
    rewound: () => location.reload(),
  });
}

function count(news) {
  for (const shown of document.querySelectorAll("[data-count]")) {
    const name = shown.dataset.count;
    const added = name === "calls" || name === "failed" || name === "faults";
    shown.textContent = added ? Number(shown.textContent) + news[name] : news[name];
  }
}

/** Conversations start at what has changed or else at their end, lists at what is open. */
function settle(root) {
  for (const talk of root.querySelectorAll("[data-at-end]")) {
    const changed = talk.querySelector("#changed") ?? talk.querySelector(".marked");
    if (changed) changed.scrollIntoView({ block: "nearest" });
    else talk.scrollTop = talk.scrollHeight;
  }
  for (const nav of root.querySelectorAll("[data-keep-scroll]")) {
    const open = nav.querySelector("[aria-current]");
    if (!open) continue;
    const [around, place] = [nav.getBoundingClientRect(), open.getBoundingClientRect()];
    nav.scrollTop += place.top - around.top - nav.clientHeight / 3;
    nav.scrollLeft += place.left - around.left - nav.clientWidth / 3;
  }
}
settle(document);

// An app's page is loaded anew when something happened, at most once at a time.
const view = document.querySelector("[data-refresh]");
if (view) {
  let loading = false;
  let again = false;
  const refresh = async () => {
    if (loading) {
      again = true;
      return;
    }
    loading = true;
    const markup = await fragment(location.href);
    if (markup !== null) {
      view.innerHTML = markup;
      settle(view);
    }
    await new Promise((done) => setTimeout(done, 500));
    loading = false;
    if (again) {
      again = false;
      refresh();
    }
  };
  listen(view.dataset.refresh, {
    calls: (event) => {
      count(JSON.parse(event.data));
      refresh();
    },
    rewound: () => location.reload(),
  });
}

const list = document.querySelector("[data-live-list]");
if (list) {
  listen(list.dataset.liveList, {
    changed: async () => {
      if (list.contains(document.activeElement) && document.activeElement.matches("button")) return;
      const response = await fetch(location.href);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.querySelector("[data-live-list]");
      if (fresh) list.replaceChildren(...fresh.childNodes);
    },
  });
}
