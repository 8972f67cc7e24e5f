/**
 * Node's HTTP module, loaded like `require` does. An `import` reads every export, one of which loads a whole
 * fetch client, which costs an eighth of the start-up time.
 */
export const http = process.getBuiltinModule("node:http");
