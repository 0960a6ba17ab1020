import type { Option } from "commander";

/** A flag as we write it, with one dash: `-o, -out FILE`. */
export const formatFlag = ({ flags }: Option): string => flags.replaceAll("--", "-").replace(/<(.*)>/, "$1");
