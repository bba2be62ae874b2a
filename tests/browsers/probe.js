(() => {
  const held = (root) => [...root.querySelectorAll("input, select, textarea, details, dialog, [contenteditable]")].map((one) => [
    one.localName, one.id || one.name || "", one.type || "", one.isContentEditable ? one.textContent : one.type === "password" || one.localName !== "details" && one.localName !== "dialog" ? String(one.value) : "",
    one.checked === true, one.open === true, one.localName === "select" ? [...one.selectedOptions].map((option) => option.value) : [], one.files ? [...one.files].map((file) => file.name) : [], one.willValidate ? one.validationMessage : "", one.disabled === true]);
  const inner = [...document.querySelectorAll("iframe")].map((one) => one.contentDocument ? [one.contentDocument.URL, one.contentDocument.title, held(one.contentDocument)] : null);
  const at = document.activeElement;
  return { address: [location.href, document.title, history.length], controls: [held(document), inner, at ? [at.localName, at.id, at.name || ""] : null], text: document.body ? document.body.innerText : "", log: (Array.isArray(window.log) ? window.log : []).map(String) };
})()
