/** caver-js as it is: a class that is the module itself, where its types tell of a default export. */
import caverModule from "caver-js";

/** The class. All of its instances in a process send transactions through the newest one's endpoint. */
export const Caver = caverModule as unknown as typeof caverModule.default; // what `require` gives

/** One of its instances. */
export type Caver = InstanceType<typeof Caver>;

/** Members that its types lack: subscriptions of the chain's own module. */
export interface CaverSubscriptions {
  subscribe(
    name: "newBlockHeaders",
    heard: (error: unknown, head: { readonly number: string }) => void,
  ): void;
  subscribe(name: "pendingTransactions", heard: (error: unknown, hash: string) => void): void;
}
