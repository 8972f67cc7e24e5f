/** The parts of the package that are loaded; its types are those of the whole. */
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";

  export = Pool;
}
declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";

  export = buildConnector;
}
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";

  /** `Dispatcher.request`, which the whole package gives to every dispatcher. */
  function ask(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  export = ask;
}
