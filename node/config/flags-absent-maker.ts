/** Flags of the Go network maker that knit's does not have: rows of the table of absent flags. */
import { idle, refused, switched, valued } from "./flags-absent-rows.ts";

/** By name. */
export const absentOfMaker = {
  ...refused("knit does not take part in service chains", {
    "scn-num": valued("topology.scn-num"),
    "spn-num": valued("topology.spn-num"),
    "sen-num": valued("topology.sen-num"),
  }),
  ...refused(
    "the mock contracts are code of the Go tool; --patch-address-book lets somebody set up the real address book",
    {
      "address-book-mock": switched(),
      "registry-mock": switched(),
      "kip113-mock": switched(),
    },
  ),
  ...idle("there is one chain, with the id of --chainID", {
    serviceChainID: valued("genesis.service-chain-id"),
    "network-id": valued("deploy.docker.network-id"),
  }),
  ...idle("compose starts nodes and nothing else", {
    fasthttp: switched("deploy.docker.fasthttp"),
    "no-grafana": switched("deploy.docker.no-grafana"),
    txgen: switched("deploy.docker.tx-gen.enable"),
    "txgen-rate": valued("deploy.docker.tx-gen.rate"),
    "txgen-conn": valued("deploy.docker.tx-gen.connections"),
    "txgen-dur": valued("deploy.docker.tx-gen.duration"),
    "txgen-th": valued("deploy.docker.tx-gen.thread"),
  }),
  ...idle(
    "they belong to the type deploy, whose addresses are one site's own; remote writes the same keys and lists",
    {
      "data-dir": valued("deploy.data-dir"),
      "log-dir": valued("deploy.log-dir"),
    },
  ),
};
