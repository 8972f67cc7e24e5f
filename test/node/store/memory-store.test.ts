/** Tests of the store in memory: the contract of stores. */
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { storeContract } from "./contract.ts";

storeContract("memory store", async () => createMemoryStore());
