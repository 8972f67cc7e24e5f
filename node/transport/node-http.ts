/**
 * Node's HTTP module as `require` gives it. What `import` makes of it reads every export, one of which loads a
 * whole fetch client: an eighth of the start-up time, for nothing.
 */
export const http = process.getBuiltinModule("node:http");
