// Writes down what zod 3 and zod 4 themselves say: zod3.jsonl and zod4.jsonl beside this file.
//
//   npm install zod3@npm:zod@3 zod4@npm:zod@4 zod-to-json-schema@3
//   node record_zod.mjs
import { writeFileSync } from "node:fs";
import { z as zod3 } from "zod3";
import { zodToJsonSchema } from "zod-to-json-schema";
import { z as zod4 } from "zod4";

const strict = { strict: true };
const cases = (z) => [
  ["text that is a number", { title: z.string() }, { title: 3 }],
  ["text that is null", { title: z.string() }, { title: null }],
  ["text that is missing", { title: z.string() }, {}],
  ["a member that is missing and has a default", { title: z.string(), size: z.string().default("M") }, { title: "x" }],
  ["an optional member that is null", { note: z.string().optional() }, { note: null }],
  ["a nullable member that is null", { note: z.string().nullable() }, { note: null }],
  ["a nullable member of a wrong type", { note: z.string().min(2).nullable() }, { note: 4 }],
  ["a nullable member that is too short", { note: z.string().min(2).nullable() }, { note: "a" }],
  ["anything that is missing", { value: z.any() }, {}],
  ["text that is too short", { title: z.string().min(2) }, { title: "a" }],
  ["text that is too long", { title: z.string().max(4) }, { title: "abcde" }],
  ["text of emoji, each two units long", { title: z.string().max(4) }, { title: "🎬🎬🎬" }],
  ["text of an exact length", { country: z.string().length(2) }, { country: "ABC" }],
  ["text that is too short for an exact length", { country: z.string().length(2) }, { country: "A" }],
  ["a list where text of some length is wanted", { title: z.string().min(3) }, { title: [] }],
  ["text that fits no pattern", { code: z.string().regex(/^[A-Z]{3}$/) }, { code: "abc" }],
  ["text with a line break after what fits", { code: z.string().regex(/^[A-Z]{3}$/) }, { code: "ABC\n" }],
  ["text that breaks two rules", { code: z.string().min(3).regex(/^[A-Z]/) }, { code: "a" }],
  ["no address", { link: z.string().url() }, { link: "site.test" }],
  ["an address", { link: z.string().url() }, { link: "https://site.test/a b" }],
  ["an address without a host", { link: z.string().url() }, { link: "http:///" }],
  ["an address with an impossible port", { link: z.string().url() }, { link: "http://site.test:99999/" }],
  ["a number that is text", { count: z.number() }, { count: "4" }],
  ["a number that is a boolean", { count: z.number() }, { count: true }],
  ["a whole number with a fraction", { count: z.number().int().min(2) }, { count: 1.5 }],
  ["a whole number that ends in .0", { count: z.number().int() }, { count: 4.0 }],
  ["a whole number beyond 2^53", { count: z.number().int() }, { count: 2 ** 60 }],
  ["a whole number far below", { count: z.number().int().max(5) }, { count: -(2 ** 60) }],
  ["a number below its minimum", { count: z.number().int().min(1) }, { count: 0 }],
  ["a number above its maximum", { count: z.number().max(9.5) }, { count: 10 }],
  ["a number at an exclusive bound", { rate: z.number().gt(0) }, { rate: 0 }],
  ["a number at an exclusive upper bound", { rate: z.number().lt(1) }, { rate: 1 }],
  ["a number that is no multiple", { rate: z.number().multipleOf(0.1) }, { rate: 0.25 }],
  ["a number that is a multiple, for people", { rate: z.number().multipleOf(0.1) }, { rate: 0.3 }],
  ["a boolean that is text", { on: z.boolean() }, { on: "yes" }],
  ["null that is something", { gone: z.null() }, { gone: 0 }],
  ["an option that is none", { sort: z.enum(["new", "top"]) }, { sort: "best" }],
  ["an option that is a number", { sort: z.enum(["new", "top"]) }, { sort: 1 }],
  ["an option that is missing", { sort: z.enum(["new", "top"]) }, {}],
  ["the only option", { sort: z.enum(["it's"]) }, { sort: "its" }],
  ["another text than the only one", { kind: z.literal("page") }, { kind: "book" }],
  ["another number than the only one", { kind: z.literal(5) }, { kind: true }],
  ["the only text is missing", { kind: z.literal("page") }, {}],
  ["a list that is an object", { tags: z.array(z.string()) }, { tags: {} }],
  ["a list with wrong items", { tags: z.array(z.string()) }, { tags: ["a", 1, "b", null] }],
  ["a list that is too short", { tags: z.array(z.string()).min(1) }, { tags: [] }],
  ["a short list with a wrong item", { tags: z.array(z.string()).min(2) }, { tags: [1] }],
  ["a short list with a fraction", { tags: z.array(z.number().int()).min(2) }, { tags: [1.5] }],
  ["a long list with wrong items", { tags: z.array(z.string()).max(1) }, { tags: [1, 2] }],
  ["a list of an exact length", { pair: z.array(z.number()).length(2) }, { pair: [1] }],
  ["text where a list of some length is wanted", { pair: z.array(z.number()).length(2) }, { pair: "abc" }],
  ["an object that is a list", { deep: z.object({ x: z.string() }) }, { deep: [] }],
  ["objects in a list", { rows: z.array(z.object({ "full name": z.string() })) }, { rows: [{}, { "full name": 1 }] }],
  ["keys that nobody knows", { a: z.string(), deep: z.object({ x: z.number() }) }, { z: 1, deep: { y: 1, x: 2 }, a: "x" }],
  ["keys that nobody knows, let through", { deep: z.object({ x: z.number() }).passthrough() }, { deep: { y: 1.0, x: 2 } }],
  ["a key that a strict object refuses", { deep: z.object({ x: z.number() }).strict() }, { deep: { y: 1, x: 2 } }, strict],
  ["keys that a strict object refuses", { deep: z.object({ x: z.number() }).strict() }, { deep: { y: 1, z: 2 } }, strict],
  ["a record", { counts: z.record(z.string(), z.number()) }, { counts: { a: "x", b: 1 } }],
  ["a record that is a list", { counts: z.record(z.string(), z.number()) }, { counts: [] }],
  ["a union that nothing fits", { id: z.union([z.string(), z.number()]) }, { id: true }],
  ["a union in which one type fits", { id: z.union([z.string().min(2), z.number()]) }, { id: "a" }],
  ["a union in which two types fit", { id: z.union([z.string().min(2), z.string().regex(/^x/), z.number()]) }, { id: "a" }],
  ["a union of objects", { to: z.union([z.object({ id: z.string() }), z.array(z.number())]) }, { to: { id: 1 } }],
  ["a union with a strict object", { to: z.union([z.object({ id: z.string() }).strict(), z.array(z.number())]) }, { to: { id: "x", y: 1 } }, strict],
  ["a union with a list that is too long", { to: z.union([z.array(z.number()).max(1), z.boolean()]) }, { to: [1, 2] }],
  ["a union that takes its second option", { id: z.union([z.number(), z.object({ x: z.string() })]) }, { id: { x: "a", y: 1 } }],
  ["a union or null", { id: z.union([z.object({ x: z.string() }), z.number()]).nullable() }, { id: "a" }],
  ["two mistakes, in the order of the schema", { a: z.string(), b: z.number() }, { b: "x" }],
];

function record(z, schemaOf, say) {
  return cases(z).map(([rule, shape, args, options]) => {
    const type = options ? z.object(shape).strict() : z.object(shape);
    const { $schema, ...schema } = schemaOf(type);
    const found = type.safeParse(args);
    const outcome = found.success ? { accepted: found.data } : { refused: say(found.error) };
    return JSON.stringify({ rule, ...options, schema, arguments: args, ...outcome });
  });
}

const here = (name) => new URL(name, import.meta.url);
const schema3 = (type) => zodToJsonSchema(type, { strictUnions: true, $refStrategy: "none" });
const schema4 = (type) => zod4.toJSONSchema(type, { target: "draft-7", io: "input" });
writeFileSync(here("zod3.jsonl"), record(zod3, schema3, (error) => error.message).join("\n") + "\n");
writeFileSync(here("zod4.jsonl"), record(zod4, schema4, (error) => JSON.stringify(error.issues, null, 2)).join("\n") + "\n");
