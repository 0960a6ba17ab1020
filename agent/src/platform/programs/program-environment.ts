/** Variables that programs inherit. Nothing else is handed on: the environment also holds secrets. */
const inheritedNames = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|MIBS|MIBDIRS)$/;
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Variables as `execve` takes them, `NAME=value`, NUL behind each. */
export type EnvironmentText = { readonly text: string; readonly count: number };

export type InheritedEnvironment = {
  readonly variables: Readonly<Record<string, string>>;
  /** These and those of a program, which win. */
  with(own: Readonly<Record<string, string>> | undefined): EnvironmentText;
};

/** The part of `environment` that is for programs. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv): InheritedEnvironment {
  const variables: Record<string, string> = { PATH: usualPath };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && inheritedNames.test(name)) variables[name] = value;
  }
  writeNumbersPlainly(variables);
  const names = Object.keys(variables);
  const all = write(variables);
  return {
    variables,
    with(own) {
      if (own === undefined) return all;
      if (names.some((name) => Object.hasOwn(own, name))) return write({ ...variables, ...own });
      const { text, count } = write(own);
      return { text: all.text + text, count: all.count + count };
    },
  };
}

/** Plugins print numbers as their locale has them, and `1,5` is no performance data. Texts stay in their language. */
function writeNumbersPlainly(variables: Record<string, string>): void {
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
