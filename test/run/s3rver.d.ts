declare module "s3rver" {
  /** S3 server in this process. */
  class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
    });
    run(): Promise<{ readonly address: string; readonly port: number }>;
    close(): Promise<void>;
  }
  export = S3rver;
}
