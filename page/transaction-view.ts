/** The view of a transaction: what it says, what came of it, its logs and its calls as a tree. */
import { type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";
import { decodeLog } from "./abi.ts";
import { accountLink, facts, link, show, useLoad, type ViewProps } from "./parts.ts";
import { call, coins, decimal, type Json, text } from "./rpc.ts";

/** Members that the facts, the logs and the receipt show in their own way, or that are of no use to a reader. */
const SHOWN = new Set([
  "hash",
  "type",
  "status",
  "logs",
  "logsBloom",
  "gasUsed",
  "blockNumber",
  "blockHash",
  "contractAddress",
]);

/** One transaction of any type, its logs and its calls. */
export function TransactionView({ id, tick }: ViewProps): ComponentChildren {
  const loaded = useLoad(async () => {
    const tx = await call<Json | null>("klay_getTransactionByHash", id);
    if (tx === null) throw new Error("This transaction is unknown.");
    return { tx, receipt: await call<Json | null>("klay_getTransactionReceipt", id) };
  }, [id, tick]);
  return show(loaded, ({ tx, receipt }) =>
    h("section", null, [
      h("h2", null, "Transaction"),
      facts([
        ["Hash", text(tx["hash"])],
        ["Type", text(tx["type"])],
        ...outcomeOf(receipt),
        ...contentOf(tx),
      ]),
      receipt !== null && h(Logs, { logs: receipt["logs"] as Json[] }),
      receipt !== null && h(Trace, { id }),
    ]),
  );
}

type Fact = readonly [string, ComponentChildren];

/** Types without a recipient that create no contract; their receipts name an address all the same, as in the Go node. */
const CREATES_NOTHING = /Cancel|AccountUpdate|Anchoring/;

function outcomeOf(receipt: Json | null): Fact[] {
  if (receipt === null) return [["Status", "waiting in the pool"]];
  const failed = receipt["status"] !== "0x1";
  const created = CREATES_NOTHING.test(text(receipt["type"])) ? undefined : receipt["contractAddress"];
  return [
    ["Status", failed ? h("span", { class: "bad" }, `failed ${text(receipt["txError"])}`) : "successful"],
    ["Block", link("block", Number(receipt["blockNumber"]))],
    ["Contract", typeof created === "string" ? accountLink(created) : undefined],
    ["Gas used", decimal(receipt["gasUsed"])],
  ];
}

function contentOf(tx: Json): Fact[] {
  const { from, to, value = "0x0", feePayer, feeRatio, nonce, gas, gasPrice, input, ...others } = tx;
  const rest = Object.entries(others).filter(([name]) => !SHOWN.has(name));
  return [
    ["From", accountLink(from)],
    ["To", accountLink(to)],
    ["Value", coins(value)],
    ["Fee payer", feePayer === undefined ? undefined : accountLink(feePayer)],
    ["Fee ratio", feeRatio === undefined ? undefined : `${decimal(feeRatio)} % by the fee payer`],
    ["Nonce", decimal(nonce)],
    ["Gas limit", decimal(gas)],
    ["Gas price", decimal(gasPrice)],
    ["Input", input === "0x" ? undefined : text(input)],
    ...rest.map(([name, each]): Fact => [name, text(each)]),
  ];
}

function Logs({ logs }: { readonly logs: readonly Json[] }): ComponentChildren {
  return h("div", null, [
    h("h2", null, `Logs (${logs.length})`),
    ...logs.map((log) => {
      const decoded = decodeLog(log);
      const raw = `${(log["topics"] as string[]).join("\n")}\n${text(log["data"])}`;
      return h("div", null, [
        accountLink(log["address"]),
        h("pre", null, decoded === undefined ? raw : `${decoded}\n${raw}`),
      ]);
    }),
  ]);
}

function Trace({ id }: { readonly id: string }): ComponentChildren {
  const loaded = useLoad(() => call<Json>("debug_traceTransaction", id, { tracer: "callTracer" }), [id]);
  return h("div", null, [
    h("h2", null, "Calls"),
    show(loaded, (frame) => h(Calls, { calls: [frame], level: 0 })),
  ]);
}

/** Levels of calls that are open at first, and calls of a list that are shown at first: a contract may make millions. */
const OPEN_LEVELS = 8;
const SHOWN_CALLS = 100;

interface FrameProps {
  readonly frame: Json;
  readonly level: number;
}

/** One call; those that it made are built when it is opened. */
function Frame({ frame, level }: FrameProps): ComponentChildren {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS);
  const calls = (frame["calls"] ?? []) as readonly Json[];
  const error = `${text(frame["error"])} ${text(frame["revertReason"])}`;
  const onToggle = (event: Event): void => setOpen((event.currentTarget as HTMLDetailsElement).open);
  return h("li", null, [
    h("details", { open: isOpen, onToggle }, [
      h("summary", null, [
        `${text(frame["type"])} `,
        accountLink(frame["to"]),
        ` gas ${decimal(frame["gasUsed"])}`,
        frame["value"] !== undefined && frame["value"] !== "0x0" && ` value ${coins(frame["value"])}`,
        h("span", { class: "bad" }, ` ${error}`),
      ]),
      isOpen && h("pre", null, `${text(frame["input"])}\n${text(frame["output"] ?? "")}`),
      isOpen && calls.length > 0 && h(Calls, { calls, level: level + 1 }),
    ]),
  ]);
}

function Calls({
  calls,
  level,
}: {
  readonly calls: readonly Json[];
  readonly level: number;
}): ComponentChildren {
  const [count, setCount] = useState(SHOWN_CALLS);
  const rest = calls.length - count;
  return h("ul", { class: "trace" }, [
    ...calls.slice(0, count).map((frame) => h(Frame, { frame, level })),
    rest > 0 &&
      h(
        "li",
        null,
        h("button", { type: "button", onClick: () => setCount(count + SHOWN_CALLS) }, `${rest} more calls`),
      ),
  ]);
}
