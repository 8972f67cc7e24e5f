/** The gateway's metrics. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type Declaration, declaredIn } from "./declarations.ts";

/** Reasons to reject a connection: certificate, handshake, timeout, or too many connections. */
export type RefusedConnection = "certificate" | "handshake" | "slow" | "crowd";

/** Recorder of the gateway's metrics. */
export interface GatewayMetrics {
  /** Records a call. `method` is an allowed one, or `other`; `outcome` is `answered` or a hop. */
  call(method: string, outcome: string, seconds: number): void;
  countRefusal(kind: RefusedConnection): void;
  connections(count: number): void;
  /** Records the expiry of the certificate, in milliseconds since the epoch. */
  certificateEnds(at: number): void;
  render(): Promise<string>;
  declarations(): readonly Declaration[];
  readonly contentType: string;
}

/** Creates the metrics. */
export function createGatewayMetrics(): GatewayMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: "knit_gateway_calls_total",
    help: "Calls by method and outcome: answered, or the hop at which they failed.",
    labelNames: ["method", "outcome"],
    registers,
  });
  const seconds = new Histogram({
    name: "knit_gateway_call_seconds",
    help: "Duration of calls, from the complete request to the response.",
    labelNames: ["method"],
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
    registers,
  });
  const refused = new Counter({
    name: "knit_gateway_refused_connections_total",
    help: "Refused connections by reason.",
    labelNames: ["reason"],
    registers,
  });
  const open = new Gauge({
    name: "knit_gateway_connections",
    help: "Open connections authenticated as the operator.",
    registers,
  });
  const ends = new Gauge({
    name: "knit_gateway_certificate_expiration_timestamp_seconds",
    help: "Expiration time of the gateway's certificate, in seconds since the epoch.",
    registers,
  });
  return {
    call(method, outcome, duration) {
      calls.inc({ method, outcome });
      seconds.observe({ method }, duration);
    },
    countRefusal: (reason) => refused.inc({ reason }),
    connections: (count) => open.set(count),
    certificateEnds: (at) => ends.set(at / 1_000),
    render: () => registry.metrics(),
    declarations: () => declaredIn(registry),
    contentType: registry.contentType,
  };
}
