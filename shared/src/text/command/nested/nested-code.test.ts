import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unitsOf } from "./command-text.ts";
import { findNestedCode } from "./nested-code.ts";
import { parseShellScript } from "./shell-script.ts";

const resources = { USER1: "/bin/sh", USER2: "/usr/lib/plugins" };
const noArguments = { args: undefined, resources };

/** Shapes that are refused in both kinds of lines, and the place that the message names. */
const inBoth: readonly (readonly [line: string, place: string])[] = [
  [`/bin/sh -c 'echo $SERVICEOUTPUT$ | mail ops'`, "an argument of sh -c"],
  [`sh -c "logger '$SERVICEOUTPUT$'"`, "an argument of sh -c"],
  ["/bin/sh -ec $SERVICEOUTPUT$", "an argument of sh -ec"],
  [`bash -lc "notify \\"$HOSTOUTPUT$\\""`, "an argument of bash -lc"],
  [`/usr/bin/bash -o pipefail -c 'echo $SERVICEOUTPUT$'`, "an argument of bash -c"],
  [`dash -c "echo $LONGSERVICEOUTPUT$"`, "an argument of dash -c"],
  ["zsh -c '$SERVICEPERFDATA$'", "an argument of zsh -c"],
  ["ksh -c 'echo $NOTIFICATIONCOMMENT$'", "an argument of ksh -c"],
  ["ash -c 'echo $NOTIFICATIONAUTHOR$'", "an argument of ash -c"],
  ["busybox sh -c 'echo $SERVICEOUTPUT$'", "an argument of sh -c"],
  ["/bin/busybox awk '{print \"$SERVICEOUTPUT$\"}'", "an argument of awk"],
  ["sh -c 'mail -s x \"$1\"' mail $SERVICEOUTPUT$", "an argument of sh -c"],
  ["sh $SERVICEOUTPUT$", "an argument of sh"],
  ["eval echo $SERVICEOUTPUT$", "an argument of eval"],
  [`eval "echo \\"$SERVICEOUTPUT$\\""`, "an argument of eval"],
  ["trap 'echo $SERVICEOUTPUT$' EXIT", "an argument of trap"],
  [`ssh ops@web1 "logger '$SERVICEOUTPUT$'"`, "an argument of ssh"],
  ["/usr/bin/ssh -o BatchMode=yes web1 notify $SERVICEOUTPUT$", "an argument of ssh"],
  ["su -c 'echo $SERVICEOUTPUT$' nagios", "an argument of su"],
  ["su - nagios -c 'echo $SERVICEOUTPUT$'", "an argument of su"],
  ["runuser -u nagios -- sh -c 'echo $SERVICEOUTPUT$'", "an argument of runuser"],
  ["sudo sh -c 'echo $SERVICEOUTPUT$'", "an argument of sh -c"],
  ["sudo -u nagios /bin/bash -c 'echo $SERVICEOUTPUT$'", "an argument of bash -c"],
  ["/usr/bin/sudo -n ssh web1 echo $SERVICEOUTPUT$", "an argument of ssh"],
  ["sudo -i echo $SERVICEOUTPUT$", "an argument of sudo -i"],
  ["sudo -u nagios -s -- echo $SERVICEOUTPUT$", "an argument of sudo -s"],
  ["sudo python3 -c 'print(\"$SERVICEOUTPUT$\")'", "an argument of python3 -c"],
  ["env -S 'sh -c x $SERVICEOUTPUT$'", "an argument of env -S"],
  ["/usr/bin/env -iS 'notify $SERVICEOUTPUT$'", "an argument of env -iS"],
  ["env --split-string='notify $SERVICEOUTPUT$'", "an argument of env --split-string"],
  ["env LANG=C bash -c 'echo $SERVICEOUTPUT$'", "an argument of bash -c"],
  ["xargs -I{} notify $SERVICEOUTPUT$", "an argument of xargs"],
  ["nohup nice -n 5 sh -c 'echo $SERVICEOUTPUT$'", "an argument of sh -c"],
  ["timeout 5 sh -c 'echo $SERVICEOUTPUT$'", "an argument of sh -c"],
  ["flock /tmp/lock -c 'notify $SERVICEOUTPUT$'", "an argument of flock -c"],
  ["find /tmp -name x -exec sh -c 'echo $SERVICEOUTPUT$' ;", "an argument of sh -c"],
  ["docker exec mail sh -c 'echo $SERVICEOUTPUT$'", "an argument of sh -c"],
  ["run-in-jail 7 bash -c 'echo $SERVICEOUTPUT$'", "an argument of bash -c"],
  ["watch -n 1 echo $SERVICEOUTPUT$", "an argument of watch"],
  [`perl -e 'print "$SERVICEOUTPUT$"'`, "an argument of perl -e"],
  [`perl -lne 'print "$SERVICEOUTPUT$"'`, "an argument of perl -lne"],
  [`python -c 'print("""$SERVICEOUTPUT$""")'`, "an argument of python -c"],
  [`/usr/bin/python3.11 -W ignore -c 'print("$SERVICEOUTPUT$")'`, "an argument of python3.11 -c"],
  [`ruby -rsocket -e 'puts "$SERVICEOUTPUT$"'`, "an argument of ruby -e"],
  [`node -e 'console.log("$SERVICEOUTPUT$")'`, "an argument of node -e"],
  [`node --eval='console.log("$SERVICEOUTPUT$")'`, "an argument of node --eval="],
  [`php -r 'echo "$SERVICEOUTPUT$";'`, "an argument of php -r"],
  [`php -d display_errors=0 -r 'echo "$SERVICEOUTPUT$";'`, "an argument of php -r"],
  [`awk 'BEGIN { print "$SERVICEOUTPUT$" }'`, "an argument of awk"],
  ["gawk -v text=$SERVICEOUTPUT$ '{ print text }' /etc/hosts", "an argument of gawk"],
  ["sed -e 's/x/$SERVICEOUTPUT$/' template", "an argument of sed"],
  ["sed 's/x/$SERVICEOUTPUT$/' template", "an argument of sed"],
  [`psql -c "insert into log values ('$SERVICEOUTPUT$')" ops`, "an argument of psql -c"],
  [`mysql ops -e "insert into log values ('$SERVICEOUTPUT$')"`, "an argument of mysql -e"],
  ["$USER1$ -c 'echo $SERVICEOUTPUT$'", "an argument of sh -c"],
  ["$_HOSTSHELL$ -c 'echo $SERVICEOUTPUT$'", "an argument of a program"],
  ["$SERVICEOUTPUT$ --now", "the name of the program"],
  ["'sh' \"-c\" 'echo $SERVICEOUTPUT$'", "an argument of sh -c"],
  [String.raw`\sh -c 'echo $SERVICEOUTPUT$'`, "an argument of sh -c"],
];

for (const [line, place] of inBoth)
  for (const shell of [false, true])
    test(`[PO9] refused ${shell ? "with" : "without"} a shell: ${line}`, () => {
      assert.deepEqual(
        findNestedCode({ line, shell }, noArguments).map((found) => found.place),
        [place],
      );
    });

/** Shapes that need the syntax of a shell. */
const inShell: readonly (readonly [line: string, place: string])[] = [
  [`printf '%s' "$SERVICEOUTPUT$" | sh`, "the input of sh"],
  [`echo "$SERVICEOUTPUT$" | bash -s`, "the input of bash"],
  [`echo "$SERVICEOUTPUT$" | tee /tmp/log | sudo -u nagios sh`, "the input of sh"],
  [`echo "$SERVICEOUTPUT$" |& /bin/dash`, "the input of dash"],
  [`printf '%s' "$SERVICEOUTPUT$" | ssh web1 'sh -s'`, "the input of ssh"],
  [`echo "$SERVICEOUTPUT$" | xargs notify`, "the input of xargs"],
  [`echo "$SERVICEOUTPUT$" | python3 -`, "the input of python3"],
  [`echo "$SERVICEOUTPUT$" | awk '{ system($0) }'`, "the input of awk"],
  [`echo "$SERVICEOUTPUT$" | sed -e 's/x/y/e'`, "the input of sed"],
  [`echo "$SERVICEOUTPUT$" | psql ops`, "the input of psql"],
  [`echo "insert into log values ('$SERVICEOUTPUT$')" | mysql ops`, "the input of mysql"],
  [`(echo "$SERVICEOUTPUT$"; date) | perl`, "the input of perl"],
  [`echo "$SERVICEOUTPUT$" | { date; sh; }`, "the input of sh"],
  [`echo "$SERVICEOUTPUT$" | while read -r line; do eval "$line"; done`, "an argument of eval"],
  [`if true; then echo "$SERVICEOUTPUT$"; fi | sh`, "the input of sh"],
  [`echo "$SERVICEOUTPUT$" | tee >(sh)`, "the input of sh"],
  [`bash < <(echo "$SERVICEOUTPUT$")`, "the input of bash"],
  [`bash <(echo "$SERVICEOUTPUT$")`, "an argument of bash"],
  [`sh <<< "$SERVICEOUTPUT$"`, "the input of sh"],
  ["sh <<EOF\necho $SERVICEOUTPUT$\nEOF", "a here-document"],
  ["cat <<-'EOF' | sh\n\techo $SERVICEOUTPUT$\n\tEOF\n", "a here-document"],
  ["python3 - <<EOF\nprint('$SERVICEOUTPUT$')\nEOF\necho sent", "a here-document"],
  [`true && sh -c "echo $SERVICEOUTPUT$"`, "an argument of sh -c"],
  [`test -n x || eval "$SERVICEOUTPUT$"`, "an argument of eval"],
  [`X=1 sh -c "echo $SERVICEOUTPUT$"`, "an argument of sh -c"],
  [`text=$SERVICEOUTPUT$; sh -c "echo $text"`, "an argument of sh -c"],
  [`export text="$SERVICEOUTPUT$"; eval "echo $\{text}"`, "an argument of eval"],
  [`for word in $SERVICEOUTPUT$; do ssh web1 "$word"; done`, "an argument of ssh"],
  [`set -- "$SERVICEOUTPUT$"; eval "echo $1"`, "an argument of eval"],
  [`run() { eval "$1"; }; run "$SERVICEOUTPUT$"`, "an argument of eval"],
  [`sh -c "$(printf %s "$SERVICEOUTPUT$")"`, "an argument of sh -c"],
  ['echo "$(sh -c "echo $SERVICEOUTPUT$")"', "an argument of sh -c"],
  ["echo `sh -c 'echo $SERVICEOUTPUT$'`", "an argument of sh -c"],
  [`case x in x) sh -c "echo $SERVICEOUTPUT$";; esac`, "an argument of sh -c"],
  ["echo $(( $SERVICEPERFDATA$ + 1 ))", "arithmetic"],
  [`"$SHELL" -c "echo $SERVICEOUTPUT$"`, "an argument of a program"],
  [`exec 2>/dev/null; exec sh -c "echo $SERVICEOUTPUT$" >/dev/null`, "an argument of sh -c"],
  [`# it's a comment\nsh -c "echo $SERVICEOUTPUT$"`, "an argument of sh -c"],
];

for (const [line, place] of inShell)
  test(`[PO9] refused with a shell: ${JSON.stringify(line)}`, () => {
    assert.deepEqual(
      findNestedCode({ line, shell: true }, noArguments).map((found) => found.place),
      [place],
    );
  });

const nagiosMail =
  '/usr/bin/printf "%b" "***** Nagios *****\\n\\nNotification Type: $NOTIFICATIONTYPE$\\n\\nService: $SERVICEDESC$\\n' +
  "Host: $HOSTALIAS$\\nAddress: $HOSTADDRESS$\\nState: $SERVICESTATE$\\n\\nDate/Time: $LONGDATETIME$\\n\\n" +
  'Additional Info:\\n\\n$SERVICEOUTPUT$" | /usr/bin/mail -s "** $NOTIFICATIONTYPE$ Service Alert: ' +
  '$HOSTALIAS$/$SERVICEDESC$ is $SERVICESTATE$ **" $CONTACTEMAIL$';

const allowed: readonly string[] = [
  nagiosMail,
  `printf '%b' "$SERVICEOUTPUT$" | mail -s "$HOSTNAME$" ops@example.org`,
  `{ echo "To: x"; echo "$SERVICEOUTPUT$"; } | /usr/sbin/sendmail -t`,
  `notify --to $CONTACTEMAIL$ -- $SERVICEOUTPUT$ "$NOTIFICATIONCOMMENT$"`,
  "perl /opt/notify.pl -e $SERVICEOUTPUT$",
  "python3 -u /opt/notify.py -c ops -m $SERVICEOUTPUT$",
  "bash -x /opt/notify.sh $SERVICEOUTPUT$",
  "sudo -u nagios /usr/bin/mail -s $SERVICEOUTPUT$ ops",
  "env TEXT=$SERVICEOUTPUT$ sh -c 'echo \"$TEXT\"'",
  "php -q /opt/sms.php $SERVICEOUTPUT$",
  "psql -v text=$SERVICEOUTPUT$ -f /opt/insert.sql ops",
  "curl --data-urlencode text=$SERVICEOUTPUT$ https://chat.example.org",
  `sh -c 'echo "$NAGIOS_SERVICEOUTPUT" | mail ops'`,
  "sh -c 'echo $HOSTNAME$ $SERVICESTATE$'",
  "logger -t sh -- $SERVICEOUTPUT$",
  "case $SERVICEOUTPUT$ in *timeout*) notify --slow;; esac",
  "test -n $SERVICEOUTPUT$ && notify $SERVICEOUTPUT$ > /var/log/notify 2>&1",
  "echo $SERVICEOUTPUT$ # | sh",
  "mail -s x ops <<EOF\n$HOSTNAME$ is down\nEOF",
];
for (const line of allowed)
  for (const shell of [false, true])
    test(`[PO9] allowed ${shell ? "with" : "without"} a shell: ${JSON.stringify(line)}`, () => {
      assert.deepEqual(findNestedCode({ line, shell }, noArguments), []);
    });

test("[PO9] an argument is part of the line, and the finding names it", () => {
  const find = (line: string, args: string[], shell = false) => findNestedCode({ line, shell }, { args, resources });
  const nested = { macro: "SERVICEOUTPUT", argument: 0, place: "an argument of sh -c" };
  assert.deepEqual(find("sh -c $ARG1$", ["echo $SERVICEOUTPUT$"]), [nested]);
  assert.deepEqual(find(`sh -c "$ARG2$"`, ["x", "echo $SERVICEOUTPUT$"], true), [{ ...nested, argument: 1 }]);
  assert.deepEqual(find("$ARG1$ -c $SERVICEOUTPUT$", ["/bin/sh"]), [{ ...nested, argument: undefined }]);
  assert.deepEqual(find("$ARG1$", ["sh -c 'echo $SERVICEOUTPUT$'"], true), [nested]);
  assert.deepEqual(find("notify $ARG1$", ["sh -c $SERVICEOUTPUT$"]), []);
});

test("[PO9] every text is parsed, to its end", () => {
  const piece = fc.constantFrom(
    ..."(){}<>|&;'\"`$\\# \n\u00a0",
    "if ",
    "case ",
    "for x in ",
    "esac",
    "do ",
    "<<E",
    "$((",
    "X=",
    "sh -c ",
    "$HOSTOUTPUT$",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      parseShellScript(unitsOf(pieces.join(""), noArguments));
      findNestedCode({ line: pieces.join(""), shell: true }, noArguments);
    }),
    { numRuns: 3_000 },
  );
});
