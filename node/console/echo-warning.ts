/** Warning before a passphrase prompt on an input that is not a terminal, as in the Go node. */
export const ECHO_WARNING = "!! Unsupported terminal, password will be echoed.\n";
