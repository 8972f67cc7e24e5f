/** Options of Jest. Node.js itself loads tests and sources: test/support/native-framework.js. */
import { join } from "node:path";

/**
 * Nodes that tests start as processes need a third of the time to load their sources when Node.js keeps what it
 * compiled of them; it does so by content, beside the packages.
 */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules", ".cache", "node-compile");

export default {
  testRunner: "<rootDir>/test/support/native-framework.js",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Cluster tests need a control plane, which takes minutes to build: npm run test:cluster.
  testPathIgnorePatterns: process.env.KNIT_CLUSTER_TESTS ? [] : ["<rootDir>/test/cluster/"],
  globalSetup: "<rootDir>/test/support/build.js",
  reporters: ["default", "<rootDir>/test/support/totals-reporter.js"],
  transform: {},
  testTimeout: 30_000,
  // Many tests wait for processes: a third worker uses that time of two processors.
  maxWorkers: 3,
  workerIdleMemoryLimit: "700MB",
  watchman: false,
};
