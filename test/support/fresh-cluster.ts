/** A cluster in memory for each test of reconciling. */
import { beforeAll, beforeEach } from "@jest/globals";
import { type Credentials, createAuthority } from "../../operator/control/authority.ts";
import { FakeCluster } from "./fake-cluster.ts";

/** Before each test of the file or block `take` is given a new cluster; its authority is made once, for that is slow. */
export function freshCluster(take: (cluster: FakeCluster) => void): void {
  let authority: Credentials;
  beforeAll(async () => {
    authority = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
  });
  beforeEach(() => take(new FakeCluster(authority)));
}
