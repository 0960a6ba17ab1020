import type { Option } from "commander";

/** Formats a flag with one dash: `-o, -out FILE`. */
export const formatFlag = ({ flags }: Option): string => flags.replaceAll("--", "-").replace(/<(.*)>/, "$1");
