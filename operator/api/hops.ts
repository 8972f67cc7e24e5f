/** Stages at which a call to a node can fail, in order, with the reason that conditions report. */
export const hops = {
  resolve: { reason: "GatewayNameUnknown", says: "the host name of the gateway does not resolve" },
  connect: { reason: "GatewayUnreachable", says: "the connection to the gateway failed" },
  tls: {
    reason: "GatewayHandshakeFailed",
    says: "the TLS handshake with the gateway failed",
  },
  certificate: {
    reason: "CertificateRefused",
    says: "the gateway's certificate is not trusted, or the gateway does not trust the operator's",
  },
  gateway: {
    reason: "GatewayFailed",
    says: "the gateway accepted the call and gave no valid response in time",
  },
  refused: { reason: "GatewayRefused", says: "the gateway does not allow this call" },
  busy: {
    reason: "GatewayBusy",
    says: "the gateway has reached its limit of concurrent calls, or a maintenance call is running",
  },
  socket: { reason: "NodeSocketClosed", says: "the node does not accept connections on its IPC socket" },
  silent: { reason: "NodeSilent", says: "the node did not respond to the gateway in time" },
  "bad-answer": { reason: "NodeAnswerUnreadable", says: "the response of the node cannot be parsed" },
  "node-error": { reason: "NodeRefused", says: "the node responded with an error" },
} as const;

/** A stage of a call to a node. */
export type Hop = keyof typeof hops;
