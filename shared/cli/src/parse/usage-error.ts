import type { CommanderError } from "commander";

/** Error of the argument parser in one line, with the wording of our other programs. */
export function usageError(error: CommanderError, called: string): string {
  const quoted = /'--([^'\s]+)[^']*'/.exec(error.message)?.[1];
  const help = `${called} -help`;
  switch (error.code) {
    case "commander.unknownOption":
      return `flag -${quoted ?? "?"} is not known; ${help} lists the flags`;
    case "commander.optionMissingArgument":
      return `flag -${quoted ?? "?"} needs a value`;
    case "commander.missingArgument": {
      const word = /argument '([^']+)'/.exec(error.message)?.[1];
      return `${word?.toUpperCase() ?? "an argument"} is missing; ${help} lists the arguments`;
    }
    case "commander.excessArguments":
      return `there are too many arguments; ${help} lists them`;
    case "commander.unknownCommand": {
      const [, word = "", near] =
        /unknown command '([^']*)'(?:[\s\S]*Did you mean ([^?)]*))?/.exec(error.message) ?? [];
      const hint = near === undefined ? `${help} lists the commands` : `did you mean ${near}?`;
      return `there is no command ${JSON.stringify(word)}; ${hint}`;
    }
    case "commander.help":
      return `a command is required; ${help} lists them`;
    default:
      return error.message.replace(/^error: /, "").replace(/\s+/g, " ");
  }
}
