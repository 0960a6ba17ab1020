/** Variables that programs inherit. Others are not passed on, because the environment can contain secrets. */
const inheritedNames = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|MIBS|MIBDIRS)$/;
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** NUL-terminated variables `NAME=value`, as execve(2) expects them. */
type EnvironmentText = { readonly text: string; readonly count: number };

export type InheritedEnvironment = ReturnType<typeof inheritedEnvironment>;

/** Selects the variables of `environment` that programs inherit. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv) {
  const variables: Record<string, string> = { PATH: defaultPath };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && inheritedNames.test(name)) variables[name] = value;
  }
  useDecimalPoint(variables);
  const names = Object.keys(variables);
  const all = write(variables);
  return {
    variables,
    /** Inherited variables and those of a program, which take precedence. */
    with(own: Readonly<Record<string, string>> | undefined): EnvironmentText {
      if (own === undefined) return all;
      if (names.some((name) => Object.hasOwn(own, name))) return write({ ...variables, ...own });
      const { text, count } = write(own);
      return { text: all.text + text, count: all.count + count };
    },
  };
}

/** Sets the numeric locale to C, because plugins would print `1,5` in others; texts stay in the configured language. */
function useDecimalPoint(variables: Record<string, string>): void {
  const all = variables["LC_ALL"];
  if (all !== undefined && all !== "") {
    for (const name in variables) if (name.startsWith("LC_")) delete variables[name];
    variables["LANG"] = all;
  }
  variables["LC_NUMERIC"] = "C";
}

function write(variables: Readonly<Record<string, string>>): EnvironmentText {
  let text = "";
  let count = 0;
  for (const name in variables) {
    text += `${name}=${variables[name]}\0`;
    count += 1;
  }
  return { text, count };
}
