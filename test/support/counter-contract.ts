/**
 * A contract for clients: `constructor(uint256)`, `set(uint256)`, `value()`, and the event
 * `Changed(address indexed by, uint256 value)` of each `set`. Slot 0 holds the value.
 */

/** Interface of the contract in JSON, which every client reads. */
export const COUNTER_ABI = [
  { type: "constructor", stateMutability: "nonpayable", inputs: [{ name: "first", type: "uint256" }] },
  {
    type: "function",
    name: "set",
    stateMutability: "nonpayable",
    inputs: [{ name: "next", type: "uint256" }],
    outputs: [],
  },
  {
    type: "function",
    name: "value",
    stateMutability: "view",
    inputs: [],
    outputs: [{ name: "", type: "uint256" }],
  },
  {
    type: "event",
    name: "Changed",
    anonymous: false,
    inputs: [
      { name: "by", type: "address", indexed: true },
      { name: "value", type: "uint256", indexed: false },
    ],
  },
] as const;

const CHANGED = "b52dda022b6c1a1f40905a85f257f689aa5d69d850e49cf939d688fbe5af5946";

const RUNTIME = [
  "60003560e01c", // the selector
  "806360fe47b114601d57", // set: at 0x1d
  "633fa4f24514605057600080fd", // value: at 0x50; all else reverts
  "5b60043580600055600052", // 0x1d: slot 0 and memory take the argument
  `337f${CHANGED}60206000a200`, // Changed(caller, argument)
  "5b60005460005260206000f3", // 0x50: the word of slot 0
].join("");

const CONSTRUCTOR = [
  "6020803803600039600051600055", // slot 0 takes the last word behind the code
  "605c8060196000396000f3", // what is left behind: 0x5c bytes from 0x19
].join("");

/** Deployment code; the first value follows as a word. */
export const COUNTER_CODE = `0x${CONSTRUCTOR}${RUNTIME}` as const;
