/**
 * Jest's test framework (jest-circus) in the worker's ordinary context: Node.js itself loads the test file and the
 * sources. Jest would load all of them anew for each test file, into a context of its own, where they start cold; that
 * is a quarter of the time of all tests. Here the test files that a worker runs share the loaded modules.
 */
import { createRequire, flushCompileCache, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { ModernFakeTimers } from "@jest/fake-timers";

const require = createRequire(import.meta.url);
const { default: runFile } = require("jest-circus/runner");

/** Exports of `@jest/globals` that tests use. */
const NAMES = ["afterAll", "afterEach", "beforeAll", "beforeEach", "describe", "expect", "jest", "test"];
const KEY = "knit.test.globals";
/** Jest's name for the time limit that `jest.setTimeout` sets. */
const TIMEOUT = Symbol.for("TEST_TIMEOUT_SYMBOL");
/** The name under which jest-circus keeps the listeners to its events, those of earlier files too. */
const EVENT_HANDLERS = Symbol.for("EVENT_HANDLERS");

/** The functions for the running test file. */
let current = {};
let files = 0;

// A test file gets the functions themselves; modules that several of them import get ones that pass calls on to those
// of the running file.
globalThis[Symbol.for(KEY)] = {
  own: (name) => current[name],
  shared: (name) =>
    new Proxy(() => undefined, {
      apply: (_target, _self, values) => current[name](...values),
      get: (_target, property) => current[name][property],
    }),
};

/** Returns the address of a module with the exports. */
function globalsUrl(kind) {
  const source = [
    `const of = globalThis[Symbol.for("${KEY}")].${kind};`,
    ...NAMES.map((name) => `export const ${name} = of("${name}");`),
  ].join("\n");
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

const ownUrl = globalsUrl("own");
const sharedUrl = globalsUrl("shared");
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "@jest/globals") return next(specifier, context);
    const run = /[?]run=(\d+)$/.exec(context.parentURL ?? "")?.[1];
    return { url: run === undefined ? sharedUrl : `${ownUrl}#${run}`, shortCircuit: true };
  },
});

/** Creates the object `jest` with what tests use of it. */
function createJest(timers) {
  const jest = {
    useFakeTimers(options) {
      timers.useFakeTimers(options);
      return jest;
    },
    useRealTimers() {
      timers.useRealTimers();
      return jest;
    },
    advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
    advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
    getTimerCount: () => timers.getTimerCount(),
    setTimeout(milliseconds) {
      globalThis[TIMEOUT] = milliseconds;
      return jest;
    },
  };
  return jest;
}

/** Runs a test file. The parameters are those of a Jest test framework; its environment and runtime are not used. */
export default async function runNatively(globalConfig, config, _environment, _runtime, testPath, send) {
  const timers = new ModernFakeTimers({ config, global: globalThis });
  const runtime = {
    requireInternalModule(path) {
      delete require.cache[path]; // each test file has a state of its own
      return require(path);
    },
    requireModule: require,
    setGlobalsForRuntime(globals) {
      current = { ...globals, jest: createJest(timers) };
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(`${pathToFileURL(path).href}?run=${++files}`),
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  try {
    return await runFile(globalConfig, config, { global: globalThis }, runtime, testPath, send);
  } finally {
    timers.dispose();
    flushCompileCache(); // otherwise all is written at the worker's end, which Jest waits for half a second
    delete globalThis[TIMEOUT];
    delete globalThis[EVENT_HANDLERS]; // or every later event would be reported once more for each earlier file
  }
}
