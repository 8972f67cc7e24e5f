/** The views of the page, but for that of a transaction. Each loads its data from the node. */
import { type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";
import { addAbi } from "./abi.ts";
import { accountLink, facts, link, show, table, timeText, useLoad, type ViewProps } from "./parts.ts";
import { call, coins, decimal, type Json, text } from "./rpc.ts";

const NEWEST = 20;

/** The newest blocks with their transactions. */
export function BlocksView({ tick }: ViewProps): ComponentChildren {
  const loaded = useLoad(async () => {
    const head = Number(await call<string>("eth_blockNumber"));
    const count = Math.min(NEWEST, head + 1);
    return Promise.all(
      Array.from({ length: count }, (_, i) =>
        call<Json>("eth_getBlockByNumber", `0x${(head - i).toString(16)}`, false),
      ),
    );
  }, [tick]);
  return show(loaded, (blocks) =>
    h("section", null, [
      h("h2", null, "Newest blocks"),
      table(
        ["Block", "Time", "Transactions", "Gas", "Hash"],
        blocks.map((block) => [
          link("block", Number(block["number"])),
          timeText(block["timestamp"]),
          transactionLinks(block["transactions"] as unknown[]),
          decimal(block["gasUsed"]),
          h("span", { class: "mono" }, text(block["hash"]).slice(0, 18)),
        ]),
      ),
    ]),
  );
}

/** Transactions of a block in the list of blocks. */
const MAX_LINKS = 6;

function transactionLinks(hashes: readonly unknown[]): ComponentChildren {
  const links = hashes
    .slice(0, MAX_LINKS)
    .map((hash, i) => [i > 0 && " ", link("tx", hash, `${text(hash).slice(0, 10)}…`)]);
  return hashes.length > MAX_LINKS ? [...links, ` and ${hashes.length - MAX_LINKS} more`] : links;
}

/** One block, by number or hash. */
export function BlockView({ id, tick }: ViewProps): ComponentChildren {
  const loaded = useLoad(
    () =>
      id.startsWith("0x")
        ? call<Json>("klay_getBlockByHash", id, true)
        : call<Json>("klay_getBlockByNumber", `0x${Number(id).toString(16)}`, true),
    [id, tick], // one that is not there yet, or that a reorganization replaces
  );
  return show(loaded, (block) => {
    const number = Number(block["number"]);
    return h("section", null, [
      h("h2", null, `Block ${number}`),
      h("p", null, [
        number > 0 && link("block", number - 1, "previous"),
        " ",
        link("block", number + 1, "next"),
      ]),
      facts([
        ["Hash", text(block["hash"])],
        ["Time", timeText(block["timestamp"])],
        ["Reward to", accountLink(block["reward"])],
        ["Gas used", decimal(block["gasUsed"])],
        ["Base fee", decimal(block["baseFeePerGas"])],
        ["State root", text(block["stateRoot"])],
      ]),
      table(
        ["Transaction", "Type", "From", "To", "Value"],
        (block["transactions"] as Json[]).map((tx) => [
          link("tx", tx["hash"], `${text(tx["hash"]).slice(0, 18)}…`),
          text(tx["type"]),
          accountLink(tx["from"]),
          accountLink(tx["to"]),
          coins(tx["value"] ?? "0x0"),
        ]),
      ),
    ]);
  });
}

/** One account: balance, nonce, key, code, and its transactions where the node has the index. */
export function AccountView({ id, tick }: ViewProps): ComponentChildren {
  const loaded = useLoad(async () => {
    const [balance, nonce, code, account] = await Promise.all([
      call<string>("klay_getBalance", id, "latest"),
      call<string>("klay_getTransactionCount", id, "latest"),
      call<string>("klay_getCode", id, "latest"),
      call<{ account: Json } | null>("klay_getAccount", id, "latest"),
    ]);
    const sent = await call<{ txs: Json[] }>("ots_searchTransactionsBefore", id, 0, NEWEST).catch(
      () => undefined,
    );
    return { balance, nonce, code, account, sent };
  }, [id, tick]);
  return show(loaded, ({ balance, nonce, code, account, sent }) =>
    h("section", null, [
      h("h2", null, "Account"),
      facts([
        ["Address", id],
        ["Balance", coins(balance)],
        ["Nonce", decimal(nonce)],
        ["Key", account === null ? undefined : JSON.stringify(account.account["key"] ?? null)],
        ["Code", code === "0x" ? "none" : h("pre", null, code)],
      ]),
      sent === undefined
        ? h("p", null, "The node lists transactions of an account with --index.addresses and the module ots.")
        : table(
            ["Transaction", "Block", "From", "To", "Value"],
            sent.txs.map((tx) => [
              link("tx", tx["hash"], `${text(tx["hash"]).slice(0, 18)}…`),
              link("block", Number(tx["blockNumber"])),
              accountLink(tx["from"]),
              accountLink(tx["to"]),
              coins(tx["value"]),
            ]),
          ),
    ]),
  );
}

/** Transactions of the pool that are listed. */
const MAX_WAITING = 200;

/** The transactions of the pool. */
export function PoolView({ tick }: ViewProps): ComponentChildren {
  type Content = Record<string, Record<string, Record<string, Json>>>;
  const loaded = useLoad(() => call<Content>("txpool_content"), [tick]);
  return show(loaded, (content) =>
    h(
      "section",
      null,
      Object.entries(content).map(([state, accounts]) => {
        const rows = Object.values(accounts).flatMap((byNonce) => Object.values(byNonce));
        return [
          h("h2", null, `${state} (${rows.length})`),
          rows.length > MAX_WAITING && h("p", null, `The first ${MAX_WAITING}:`),
          table(
            ["Transaction", "Nonce", "From", "To"],
            rows
              .slice(0, MAX_WAITING)
              .map((tx) => [
                link("tx", tx["hash"]),
                decimal(tx["nonce"]),
                accountLink(tx["from"]),
                accountLink(tx["to"]),
              ]),
          ),
        ];
      }),
    ),
  );
}

interface Described {
  readonly name: string;
  readonly summary?: string;
  readonly "x-aliases"?: readonly string[];
  readonly params: readonly { readonly name: string; readonly required?: boolean }[];
}

function valueOf(event: Event): string {
  return (event.target as HTMLInputElement).value; // only inputs have this listener
}

function namesOf({ name, "x-aliases": aliases = [] }: Described): readonly string[] {
  return [name, ...aliases];
}

/** Calls a method of the node, with the descriptions of its own document. */
export function ConsoleView(): ComponentChildren {
  const [name, setName] = useState("eth_blockNumber");
  const [params, setParams] = useState("[]");
  const [answer, setAnswer] = useState("");
  const methods = useLoad(async () => (await call<{ methods: Described[] }>("rpc_discover")).methods, []);
  const described = methods.value?.find((each) => namesOf(each).includes(name));
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const list: unknown = JSON.parse(params);
      if (!Array.isArray(list)) throw new Error("the parameters are no JSON list");
      setAnswer(JSON.stringify(await call(name, ...(list as unknown[])), undefined, 2));
    } catch (error) {
      setAnswer(`Error: ${error instanceof Error ? error.message : text(error)}`);
    }
  };
  return h("section", null, [
    h("h2", null, "Console"),
    h("form", { onSubmit: send }, [
      h("label", null, [
        "Method",
        h("input", {
          list: "methods",
          name: "method",
          value: name,
          onInput: (event: Event) => setName(valueOf(event)),
        }),
      ]),
      h(
        "datalist",
        { id: "methods" },
        (methods.value ?? []).flatMap(namesOf).map((each) => h("option", { value: each })),
      ),
      h(
        "p",
        null,
        described === undefined
          ? ""
          : `${described.summary ?? ""} (${described.params.map((each) => each.name).join(", ")})`,
      ),
      h("label", null, [
        "Parameters, a JSON list",
        h("textarea", {
          name: "params",
          rows: 3,
          value: params,
          onInput: (event: Event) => setParams(valueOf(event)),
        }),
      ]),
      h("button", { type: "submit" }, "Call"),
    ]),
    h("pre", { "aria-live": "polite", id: "answer" }, answer),
  ]);
}

/** Takes the ABI of a contract from a file, chosen or dropped. */
export function AbiView(): ComponentChildren {
  const [message, setMessage] = useState("");
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      setMessage(`${await addAbi(await file.text())} events of ${file.name} are decoded.`);
    } catch (error) {
      setMessage(error instanceof Error ? error.message : text(error));
    }
  };
  return h(
    "section",
    {
      onDragOver: (event: Event) => event.preventDefault(),
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      },
    },
    [
      h("h2", null, "ABI"),
      h(
        "p",
        null,
        "Choose or drop the JSON file of a contract's ABI, or a compiler's artifact. Logs of its events are then shown with names and values, until the page is closed.",
      ),
      h("input", {
        type: "file",
        "aria-label": "ABI file",
        accept: ".json",
        onChange: (event: Event) => void take((event.target as HTMLInputElement).files?.[0]),
      }),
      h("p", { "aria-live": "polite", id: "abi" }, message),
    ],
  );
}
