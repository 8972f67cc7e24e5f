/**
 * Node's HTTP modules as `require` gives them. What `import` makes of them reads every export, one of which loads a
 * whole fetch client: an eighth of the start-up time, for nothing.
 */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
