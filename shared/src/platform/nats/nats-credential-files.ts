/** Files with which a program logs in to NATS. Each path is empty when the flag is not given. */
type NatsCredentialFiles = {
  /** Credentials file. */
  readonly credsFile: string;
  /** Certificates of the accepted authorities; together with `cert` or `key` empty, TLS is used only as the URL says. */
  readonly tlsFiles: NatsTlsFiles;
};

export type NatsTlsFiles = { readonly ca: string; readonly cert: string; readonly key: string };

/** Reads the files from the flags `-nats-creds`, `-nats-ca`, `-nats-cert` and `-nats-key`. */
export const natsCredentialFiles = (flags: {
  readonly natsCreds: string | undefined;
  readonly natsCa: string | undefined;
  readonly natsCert: string | undefined;
  readonly natsKey: string | undefined;
}): NatsCredentialFiles => ({
  credsFile: flags.natsCreds ?? "",
  tlsFiles: { ca: flags.natsCa ?? "", cert: flags.natsCert ?? "", key: flags.natsKey ?? "" },
});
