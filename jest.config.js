import { join } from "node:path";

/**
 * Nodes that tests start as processes need a third of the time to load their sources when Node.js keeps what it
 * compiled of them; it does so by content, beside the packages.
 */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules", ".cache", "node-compile");

/** Jest runs the TypeScript sources as native ES modules; swc only strips the types. */
export default {
  testEnvironment: "node",
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Those of the cluster need a control plane, which takes minutes to build: npm run test:cluster.
  testPathIgnorePatterns: process.env.KNIT_CLUSTER_TESTS ? [] : ["<rootDir>/test/cluster/"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2024", parser: { syntax: "typescript" } }, module: { type: "es6" } },
    ],
  },
  moduleNameMapper: {},
  // Slow to look up from inside jest's sandbox; bn.js, with which some clients sign, needs it in its inner loop.
  sandboxInjectedGlobals: ["Math"],
  reporters: ["default", "<rootDir>/test/support/totals-reporter.js"],
  testTimeout: 30_000,
  maxWorkers: 2,
  watchman: false,
};
