/** The page of a node for browsers: one HTML file that asks for nothing from elsewhere. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliDecompressSync } from "node:zlib";

/** Options of the page. */
export interface PageOptions {
  /** Returns the port of the WebSocket listener; undefined without one, and the page then asks each second. */
  readonly wsPort: () => string | undefined;
}

const WS_META = '<meta name="knit-ws" content="';

interface LoadedPage {
  readonly html: string;
  /** Sources of the script and the style, as in a Content-Security-Policy. */
  readonly script: string;
  readonly style: string;
}

let loaded: LoadedPage | undefined;

/** Reads the page at its first use. */
function loadPage(): LoadedPage {
  if (loaded !== undefined) return loaded;
  const packed = readFileSync(new URL("./page.br", import.meta.url));
  const html = brotliDecompressSync(packed).toString("utf8");
  loaded = { html, script: sourceOf(html, "script"), style: sourceOf(html, "style") };
  return loaded;
}

function sourceOf(html: string, tag: string): string {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const text = html.slice(html.indexOf(open) + open.length, html.lastIndexOf(close));
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Returns true for a browser's request of a document; health checks and clients ask for none. */
export function isPageRequest({ method, headers, url }: IncomingMessage): boolean {
  return method === "GET" && url === "/" && (headers.accept ?? "").includes("text/html");
}

/** Answers with the page. Its policy permits the node's own HTTP and WebSocket and nothing else. */
export function sendPage(request: IncomingMessage, response: ServerResponse, { wsPort }: PageOptions): void {
  const { html, script, style } = loadPage();
  const port = wsPort() ?? "";
  const host = hostName(request.headers.host ?? "");
  const connect = port === "" || host === undefined ? "" : ` ws://${host}:${port}`;
  const body = Buffer.from(html.replace(`${WS_META}"`, `${WS_META}${connect === "" ? "" : port}"`));
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": body.length,
    "Content-Security-Policy": `default-src 'none'; script-src ${script}; style-src ${style}; connect-src 'self'${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(body);
}

/** Returns the host name of a Host header; undefined for one that does not fit into a policy. */
function hostName(host: string): string | undefined {
  return /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d+)?$/i.exec(host)?.[1];
}
