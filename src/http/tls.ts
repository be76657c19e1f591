/** A certificate with its chain, and its private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** What the server speaks HTTPS with. */
export interface ServerTls {
  readonly certificate: Certificate;
  /** Calls back with each certificate that takes the place of the one before. */
  readonly onRenewal: (apply: (certificate: Certificate) => void) => void;
}
