/** The page of a node: navigation, search and the view that the address names. */
import { type ComponentChildren, type ComponentType, h, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ViewProps } from "./parts.ts";
import { PeersView } from "./peers-view.ts";
import { call, followBlocks } from "./rpc.ts";
import { TransactionView } from "./transaction-view.ts";
import { AbiView, AccountView, BlocksView, BlockView, ConsoleView, PoolView } from "./views.ts";

const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  blocks: BlocksView,
  block: BlockView,
  tx: TransactionView,
  account: AccountView,
  pool: PoolView,
  peers: PeersView,
  console: ConsoleView,
  abi: AbiView,
};

function App(): ComponentChildren {
  const [hash, setHash] = useState(location.hash);
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const change = (): void => setHash(location.hash);
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  useEffect(() => followBlocks(() => setTick((last) => last + 1)), []);
  const [, name = "blocks", id = ""] = /^#\/(\w+)\/?(.*)$/.exec(hash) ?? [];
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : BlocksView;
  return h("div", null, [
    h("header", null, [
      h("h1", null, h("a", { href: "#/blocks" }, "Knit")),
      h(
        "nav",
        { "aria-label": "Views" },
        ["blocks", "pool", "peers", "console", "abi"].map((each) =>
          h("a", { href: `#/${each}`, "aria-current": each === name ? "page" : undefined }, each),
        ),
      ),
      h(
        "form",
        { role: "search", onSubmit: search },
        h("input", {
          name: "query",
          "aria-label": "Block, transaction or address",
          placeholder: "block, transaction or address",
          onInput: (event: Event) => (event.target as HTMLInputElement).setCustomValidity(""),
        }),
      ),
    ]),
    h("main", null, h(view ?? BlocksView, { id, tick, key: `${name}/${id}` })),
  ]);
}

function search(event: Event): void {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const field = form.elements.namedItem("query") as HTMLInputElement; // the only field of the form
  const query = field.value.trim();
  void viewOf(query).then((found) => {
    field.setCustomValidity(found === undefined ? "This is no block, transaction or address." : "");
    if (found === undefined) return field.reportValidity();
    location.hash = `#/${found}`;
    return form.reset();
  });
}

/** Returns the address of the view that a query asks for; a hash may be that of a transaction or of a block. */
async function viewOf(query: string): Promise<string | undefined> {
  if (/^0x[0-9a-fA-F]{40}$/.test(query)) return `account/${query}`;
  if (/^\d+$/.test(query)) return `block/${query}`;
  if (!/^0x[0-9a-fA-F]{64}$/.test(query)) return undefined;
  const block = await call("eth_getBlockByHash", query, false).catch(() => null);
  return block === null ? `tx/${query}` : `block/${query}`;
}

render(h(App, null), document.body);
