/** Timeouts and intervals in milliseconds. Those that are visible on the network are the Go node's. */
export interface P2pTimings {
  /** Connection-type byte and encryption handshake together. */
  readonly handshakeMs: number;
  /** Handshakes and hello, while other connections wait. */
  readonly crowdedMs: number;
  /**
   * Pause of the initiator after both type bytes: the Go node loses bytes that arrive in one read with its
   * type byte.
   */
  readonly afterTypeByteMs: number;
  /** From ack to the remote hello. The Go node allows 30 s, which would occupy a handshake slot. */
  readonly helloMs: number;
  /** Arrival of each frame after hello. */
  readonly readMs: number;
  /** From a write until the operating system has accepted it. */
  readonly writeMs: number;
  readonly disconnectMs: number;
  readonly pingMs: number;
  readonly dialMs: number;
  /** Back-off after the first failure; it doubles with each further one. */
  readonly minRedialMs: number;
  readonly maxRedialMs: number;
  /** Interval between two searches for nodes to dial. */
  readonly searchMs: number;
  /** Minimum duration of a session that resets the count of failures. */
  readonly steadyMs: number;
}

/** Default timings. */
export const P2P_TIMINGS: P2pTimings = {
  handshakeMs: 5000,
  crowdedMs: 2000,
  afterTypeByteMs: 10,
  helloMs: 5000,
  readMs: 30_000,
  writeMs: 20_000,
  disconnectMs: 1000,
  pingMs: 15_000,
  dialMs: 15_000,
  minRedialMs: 1000,
  maxRedialMs: 30_000,
  searchMs: 4000,
  steadyMs: 30_000,
};
