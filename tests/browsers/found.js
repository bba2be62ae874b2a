[...document.querySelectorAll("a[href], button, input, select, textarea, label, summary, [contenteditable]")].map((one) => {
  const path = []; for (let at = one; at && at.localName !== "html"; at = at.parentElement) path.unshift(at.localName + ":nth-child(" + ([...at.parentElement.children].indexOf(at) + 1) + ")");
  const shown = one.offsetHeight > 0 && getComputedStyle(one).visibility === "visible" && !one.closest("details:not([open]) > :not(summary), dialog:not([open])");
  return { selector: one.id ? "#" + one.id : path.join(" > "), tag: one.localName, type: one.type || "", shown, off: one.matches(":disabled") || !!(one.control && one.control.disabled), fixed: !!one.readOnly, options: one.localName === "select" ? [...one.options].filter((option) => !option.disabled).map((option) => option.value) : [] };
})
