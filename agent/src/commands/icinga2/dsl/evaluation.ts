import { never } from "@realmwatch/shared/model/never";
import type { ImportLimits } from "../../import/import-limits.ts";
import type { SourceLine } from "../../import/import-report.ts";
import { EvaluationWork } from "./evaluation-work.ts";
import { callFunction, callMethod, matchModes } from "./functions.ts";
import { applyOperator, applyUnary, indexed } from "./operators.ts";
import { type IcingaDeclaration, type IcingaExpression, IcingaSourceError, type IcingaStatement } from "./syntax.ts";
import { IcingaDictionary, IcingaUnknown, type IcingaValue, icingaText, isIcingaList, isTruthy } from "./values.ts";

/** Variables that an expression sees: those of its own block first. */
export type IcingaScope = {
  readonly locals: IcingaDictionary;
  /** Object, template or dictionary that assignments fill; undefined at the top level of a file. */
  readonly self: IcingaDictionary | undefined;
  /** Object in whose body the block is; undefined at the top level. */
  readonly subject: IcingaSubject | undefined;
};
/** Object that is being made. `templates` receives the names of imported templates. */
export type IcingaSubject = { readonly type: string; readonly name: string; readonly templates: string[] };

/** Declaration with the variables that it sees. */
export type IcingaDefinition = { readonly declaration: IcingaDeclaration; readonly locals: IcingaDictionary };

/** Callbacks for statements with an effect outside of the evaluation. */
type IcingaEvents = {
  declared(definition: IcingaDefinition): void;
  included(statement: Extract<IcingaStatement, { kind: "include" }>, scope: IcingaScope): void;
  unsupported(source: SourceLine, subject: IcingaSubject | undefined, why: string): void;
  /** Attributes of an object that is built into Icinga 2; undefined for an unknown one. */
  builtIn(type: string, name: string): IcingaDictionary | undefined;
};

/** Names in filters of notifications and options of downtimes, whose values are their own names here. */
const filterNames = [
  ...["OK", "Warning", "Critical", "Unknown", "Up", "Down", "Problem", "Recovery", "Acknowledgement", "Custom"],
  ...["FlappingStart", "FlappingEnd", "DowntimeStart", "DowntimeEnd", "DowntimeRemoved"],
  ...["DowntimeNoChildren", "DowntimeTriggeredChildren", "DowntimeNonTriggeredChildren"],
  ...["HostUp", "HostDown", "ServiceOK", "ServiceWarning", "ServiceCritical", "ServiceUnknown"],
];

/** Types of objects, whose names are constants. */
const typeNames = [
  ...["Host", "Service", "User", "HostGroup", "ServiceGroup", "UserGroup", "TimePeriod", "Zone", "Endpoint"],
  ...["CheckCommand", "NotificationCommand", "EventCommand"],
];

/** Functions that find an object, by the type that they find. */
const finders: Readonly<Record<string, string>> = {
  ...{ get_host: "Host", get_user: "User", get_host_group: "HostGroup", get_service_group: "ServiceGroup" },
  ...{ get_user_group: "UserGroup", get_time_period: "TimePeriod", get_check_command: "CheckCommand" },
};

/** Evaluates statements and expressions. Throws IcingaSourceError for invalid sources. */
export class IcingaEvaluation {
  readonly globals = new IcingaDictionary();
  /** Finds the attributes of an object by its type and full name: null for none, undefined before all are made. */
  findObject: (type: string, name: string) => IcingaDictionary | null | undefined = () => undefined;
  readonly #templates = new Map<string, IcingaDefinition>();
  readonly #defaults: IcingaDefinition[] = [];
  readonly #events: IcingaEvents;
  readonly work: EvaluationWork;

  constructor(events: IcingaEvents, limits: ImportLimits) {
    this.#events = events;
    this.work = new EvaluationWork(limits);
    for (const name of [...filterNames, ...typeNames]) this.globals.set(name, name);
    for (const [name, value] of Object.entries(matchModes)) this.globals.set(name, value);
  }

  addTemplate(definition: IcingaDefinition): void {
    const { declaration, locals } = definition;
    if (declaration.name === undefined)
      throw new IcingaSourceError(declaration.source, `the ${declaration.kind} has no name`);
    const name = icingaText(this.evaluate(declaration.name, { locals, self: undefined, subject: undefined }));
    const key = `${declaration.type} ${name}`;
    if (declaration.kind === "template" || !this.#templates.has(key)) this.#templates.set(key, definition);
    if (declaration.isDefault) this.#defaults.push(definition);
  }

  /** Fills an object from the default templates of its type and its own body. */
  fill(
    definition: IcingaDefinition,
    { self, subject, locals }: IcingaScope & { readonly subject: IcingaSubject },
  ): void {
    for (const each of this.#defaults)
      if (each.declaration.type === subject.type)
        this.run(each.declaration.body, {
          self,
          subject,
          locals: this.work.nested(each.locals, each.declaration.source).assign(locals),
        });
    this.run(definition.declaration.body, { self, subject, locals });
  }

  run(statements: readonly IcingaStatement[], scope: IcingaScope): void {
    const [first] = statements;
    if (first === undefined) return;
    this.work.block(first.source, () => {
      for (const statement of statements) this.#runOne(statement, scope);
    });
  }

  #runOne(statement: IcingaStatement, scope: IcingaScope): void {
    switch (statement.kind) {
      case "object":
      case "template":
      case "apply":
        return this.#events.declared({
          declaration: statement,
          locals: this.work.nested(scope.locals, statement.source),
        });
      case "include":
        return this.#events.included(statement, scope);
      case "import":
        return this.#import(statement.name, scope);
      case "local":
        return scope.locals.set(
          statement.name,
          statement.value === undefined ? null : this.evaluate(statement.value, scope),
        );
      case "constant":
        return this.globals.set(statement.name, this.evaluate(statement.value, scope));
      case "assign":
        return this.#assign(statement, scope);
      case "where":
        return;
      case "if":
        return this.#if(statement, scope);
      case "for":
        return this.loop(statement.loop.over, scope, (key, value) => {
          const locals = this.work.nested(scope.locals, statement.source);
          const { key: keyName, value: valueName } = statement.loop;
          if (keyName !== undefined) locals.set(keyName, key);
          locals.set(valueName, keyName === undefined ? key : value);
          this.run(statement.body, { ...scope, locals });
        });
      case "unsupported":
        return this.#refuse(statement.source, scope, `the statement ${statement.statement} is not carried over`);
      case "expression": {
        const { expression, source } = statement;
        const value = this.evaluate(expression, scope);
        if (expression.kind === "call" && !(value instanceof IcingaUnknown)) return;
        return this.#refuse(source, scope, "a statement without an assignment is not carried over");
      }
      default:
        return never(statement);
    }
  }

  #refuse(source: SourceLine, { subject }: IcingaScope, why: string): void {
    this.#events.unsupported(source, subject, why);
  }

  /** Calls back for each entry of a dictionary, or for each element of an array as its key. */
  loop(over: IcingaExpression, scope: IcingaScope, each: (key: IcingaValue, value: IcingaValue) => void): void {
    const values = this.evaluate(over, scope);
    if (values instanceof IcingaUnknown) this.#refuse(over.source, scope, values.why);
    else if (isIcingaList(values)) for (const value of values) each(value, value);
    else if (values instanceof IcingaDictionary) for (const [key, value] of values.entries()) each(key, value);
  }

  #if(statement: Extract<IcingaStatement, { kind: "if" }>, scope: IcingaScope): void {
    const condition = this.evaluate(statement.condition, scope);
    if (condition instanceof IcingaUnknown) return this.#refuse(statement.source, scope, condition.why);
    this.run(isTruthy(condition) ? statement.body : statement.otherwise, scope);
  }

  #import(expression: IcingaExpression, scope: IcingaScope): void {
    const { subject } = scope;
    const value = this.evaluate(expression, scope);
    if (subject === undefined) throw new IcingaSourceError(expression.source, "an import outside of an object");
    if (value instanceof IcingaUnknown) return this.#refuse(expression.source, scope, value.why);
    const name = icingaText(value);
    const template = this.#templates.get(`${subject.type} ${name}`);
    subject.templates.push(name);
    if (template !== undefined) {
      const locals = this.work.nested(template.locals, expression.source).assign(scope.locals);
      return this.run(template.declaration.body, { ...scope, locals });
    }
    const builtIn = this.#events.builtIn(subject.type, name);
    if (builtIn !== undefined) return void scope.self?.assign(builtIn);
    if (!builtInTemplates.has(name) && !name.endsWith("-check-command"))
      throw new IcingaSourceError(expression.source, `the ${subject.type} imports "${name}", which is not defined`);
  }

  #assign(statement: Extract<IcingaStatement, { kind: "assign" }>, scope: IcingaScope): void {
    const { target, operator, value, source } = statement;
    const place = this.#place(target, scope);
    if (place === undefined) return this.#refuse(source, scope, "the target of the assignment is not understood");
    const { container, key } = place;
    const right = this.evaluate(value, scope);
    if (operator === "=") return container.set(key, right, source);
    container.set(key, this.work.made(applyOperator(operator.slice(0, -1), container.get(key), right), source), source);
  }

  /** Dictionary and key that an expression names; dictionaries on the way to it are made. */
  #place(target: IcingaExpression, scope: IcingaScope): { container: IcingaDictionary; key: string } | undefined {
    if (target.kind === "literal") return scope.self && { container: scope.self, key: String(target.value) };
    if (target.kind === "name") {
      const container = scope.locals.has(target.name) ? scope.locals : (scope.self ?? this.globals);
      return { container, key: target.name };
    }
    if (target.kind !== "index") return undefined;
    const key = icingaText(this.evaluate(target.key, scope));
    const { object } = target;
    const known = this.evaluate(object, scope);
    if (known instanceof IcingaDictionary) return { container: known, key };
    if (known !== null) return undefined;
    const outer = this.#place(object, scope);
    if (outer === undefined) return undefined;
    const container = new IcingaDictionary();
    outer.container.set(outer.key, container, target.source);
    return { container, key };
  }

  evaluate(expression: IcingaExpression, scope: IcingaScope): IcingaValue {
    return this.work.expression(expression.source, () => this.#evaluate(expression, scope));
  }

  #evaluate(expression: IcingaExpression, scope: IcingaScope): IcingaValue {
    switch (expression.kind) {
      case "literal":
        return expression.value;
      case "lazy":
        return new IcingaUnknown("a function computes it at run time");
      case "name":
        return this.#name(expression.name, scope);
      case "array":
        return this.work.made(
          expression.items.map((item) => this.evaluate(item, scope)),
          expression.source,
        );
      case "dictionary": {
        const self = new IcingaDictionary();
        this.run(expression.body, { ...scope, self, locals: this.work.nested(scope.locals, expression.source) });
        return self;
      }
      case "index":
        return indexed(this.evaluate(expression.object, scope), this.evaluate(expression.key, scope));
      case "choice": {
        const [then, otherwise] = expression.parts as [IcingaExpression, IcingaExpression];
        const condition = this.evaluate(expression.condition, scope);
        if (condition instanceof IcingaUnknown) return condition;
        return this.evaluate(isTruthy(condition) ? then : otherwise, scope);
      }
      case "unary":
        return applyUnary(expression.operator, this.evaluate(expression.operand, scope));
      case "binary":
        return this.#binary(expression, scope);
      case "call":
        return this.#call(expression, scope);
      default:
        return never(expression);
    }
  }

  #name(name: string, { locals, self }: IcingaScope): IcingaValue {
    if (name === "this") return self ?? this.globals;
    if (name === "globals") return this.globals;
    if (locals.has(name)) return locals.get(name);
    if (self?.has(name)) return self.get(name);
    if (this.globals.has(name)) return this.globals.get(name);
    // An attribute that is not set is null; a misspelt constant must not pass for one.
    return self === undefined || /^[A-Z]/.test(name) ? new IcingaUnknown(`the variable ${name} is not declared`) : null;
  }

  #binary(expression: Extract<IcingaExpression, { kind: "binary" }>, scope: IcingaScope): IcingaValue {
    const { operator } = expression;
    const left = this.evaluate(expression.left, scope);
    if (operator !== "&&" && operator !== "||")
      return this.work.made(applyOperator(operator, left, this.evaluate(expression.right, scope)), expression.source);
    const decides = operator === "||";
    if (!(left instanceof IcingaUnknown) && isTruthy(left) === decides) return left;
    const right = this.evaluate(expression.right, scope);
    // The other side may decide alone where this one is not known.
    if (!(left instanceof IcingaUnknown)) return right;
    return !(right instanceof IcingaUnknown) && isTruthy(right) === decides ? right : left;
  }

  #call({ callee, args, source }: Extract<IcingaExpression, { kind: "call" }>, scope: IcingaScope): IcingaValue {
    const values = args.map((each) => this.evaluate(each, scope));
    if (callee.kind === "name") {
      this.work.spendCall(values, source);
      const wanted = wantedObject(callee.name, values);
      if (wanted !== undefined) {
        const found = this.findObject(...wanted);
        return found === undefined ? new IcingaUnknown(`the ${wanted[0]} "${wanted[1]}" is not known yet`) : found;
      }
      return this.work.made(callFunction(callee.name, values), source);
    }
    if (callee.kind !== "index") return new IcingaUnknown("a function that is computed is not carried over");
    const method = icingaText(this.evaluate(callee.key, scope));
    const object = this.evaluate(callee.object, scope);
    this.work.spendCall([object, ...values], source);
    return this.work.made(callMethod(object, method, values), source);
  }
}

/** Type and full name of the object that a function finds; undefined for another function, or one whose arguments are not known. */
function wantedObject(name: string, values: readonly IcingaValue[]): [type: string, name: string] | undefined {
  if (values.some((value) => value instanceof IcingaUnknown)) return undefined;
  const [first = null, second = null] = values;
  if (name === "get_object") return [icingaText(first), icingaText(second)];
  // A service is found by its host, which may be given as an object, and its own name.
  const host = first instanceof IcingaDictionary ? first.get("name") : first;
  if (name === "get_service") return ["Service", `${icingaText(host)}!${icingaText(second)}`];
  const type = Object.hasOwn(finders, name) ? finders[name] : undefined;
  return type === undefined ? undefined : [type, icingaText(first)];
}

/** Templates that are built into Icinga 2 and set nothing that a document has. */
const builtInTemplates: ReadonlySet<string> = new Set([
  ...["plugin-check-command", "plugin-notification-command", "plugin-event-command", "legacy-timeperiod"],
  ...["ipv4-or-ipv6", "checkable", "empty-timeperiod"],
]);
