// The files of the page are parts of one function, so the names that one file declares are global to the others.
import { readdirSync, readFileSync } from "node:fs";
import js from "@eslint/js";
import { parse } from "espree";

const folder = "kernels/engines/browser/page";

function namesOf(pattern) {
  if (!pattern) return [];
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "ObjectPattern") return pattern.properties.flatMap((one) => namesOf(one.value ?? one.argument));
  if (pattern.type === "ArrayPattern") return pattern.elements.flatMap(namesOf);
  return namesOf(pattern.left ?? pattern.argument);
}

function declaredIn(file) {
  const { body } = parse(readFileSync(`${folder}/${file}`, "utf8"), { ecmaVersion: 2023 });
  return body.flatMap((one) => (one.declarations ?? [one]).flatMap((each) => namesOf(each.id)));
}

const declared = readdirSync(folder)
  .filter((name) => name.endsWith(".js"))
  .flatMap(declaredIn);

export default [
  {
    files: [`${folder}/*.js`],
    languageOptions: {
      ecmaVersion: 2023,
      sourceType: "script",
      globals: Object.fromEntries(declared.map((name) => [name, "writable"])),
    },
    rules: {
      ...js.configs.recommended.rules,
      // The URL standard escapes control characters.
      "no-control-regex": "off",
      // Names at the top of a file are used by other files.
      "no-unused-vars": ["error", { vars: "local" }],
      "no-redeclare": ["error", { builtinGlobals: false }],
    },
  },
];
