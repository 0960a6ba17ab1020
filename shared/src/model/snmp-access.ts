/** How a reader of SNMP shows who it is. */
export type SnmpAccess =
  | { readonly version: "v2c"; readonly community: string }
  | {
      readonly version: "v3";
      readonly user: string;
      /** Empty: the user is not authenticated. */
      readonly authProto: "" | "MD5" | "SHA" | "SHA224" | "SHA256" | "SHA384" | "SHA512";
      readonly authPass: string;
      /** Empty: messages are not encrypted. `…C` extends the key as Cisco does, the others as Blumenthal proposed. */
      readonly privProto: "" | "DES" | "AES" | "AES192" | "AES256" | "AES192C" | "AES256C";
      readonly privPass: string;
    };
