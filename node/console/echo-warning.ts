/** Warning before a passphrase is read from an input that is no terminal. */
export const ECHO_WARNING = "!! Unsupported terminal, password will be echoed.\n";
