import { join } from "node:path";

/**
 * Nodes that tests start as processes need a third of the time to load their sources when Node.js keeps what it
 * compiled of them; it does so by content, beside the packages.
 */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules", ".cache", "node-compile");

/** Jest runs the TypeScript sources as native ES modules; without a transform it strips the types as Node.js does. */
export default {
  testEnvironment: "<rootDir>/test/support/plain-environment.js",
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Cluster tests need a control plane, which takes minutes to build: npm run test:cluster.
  testPathIgnorePatterns: process.env.KNIT_CLUSTER_TESTS ? [] : ["<rootDir>/test/cluster/"],
  transform: {},
  globalSetup: "<rootDir>/test/support/build.js",
  reporters: ["default", "<rootDir>/test/support/totals-reporter.js"],
  testTimeout: 30_000,
  maxWorkers: 2,
  // A worker retains some 10 MB per test file; above 500 MB garbage collection costs more than the tests.
  workerIdleMemoryLimit: "250MB",
  watchman: false,
};
