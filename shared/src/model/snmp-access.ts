/** Credentials for SNMP. */
export type SnmpAccess =
  | { readonly version: "v2c"; readonly community: string }
  | {
      readonly version: "v3";
      readonly user: string;
      /** Empty: no authentication. */
      readonly authProto: "" | "MD5" | "SHA" | "SHA224" | "SHA256" | "SHA384" | "SHA512";
      readonly authPass: string;
      /** Empty: no encryption. Names with `C` use Cisco's key extension, the other AES names that of Blumenthal. */
      readonly privProto: "" | "DES" | "AES" | "AES192" | "AES256" | "AES192C" | "AES256C";
      readonly privPass: string;
    };
