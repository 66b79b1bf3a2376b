// As much of the editor as the client touches: what is not written here is made when it is asked for.
import { createRequire } from "node:module";
import { resolve } from "node:path";

class EventEmitter {
  readonly event = () => ({ dispose() {} });
  fire(): void {}
  dispose(): void {}
}

class Disposable {
  constructor(readonly dispose: () => void) {}
  static from(...all: { dispose(): void }[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

/** What the extension did. */
export class Editor {
  readonly errors: string[][] = [];
  readonly context = new Map<string, unknown>();
  readonly commands = new Map<string, (...given: unknown[]) => unknown>();
  readonly panels: { title: string; webview: { html: string } }[] = [];
  readonly opened: string[] = [];
  clipboard = "";

  constructor(
    settings: Record<string, unknown>,
    private readonly pressed?: string,
  ) {
    const known = this.known(settings);
    const load = createRequire(resolve("package.json"));
    const modules = load("node:module");
    const original = modules._load;
    const names = ["window", "workspace", "commands", "languages", "env", "tasks", "Uri", "EventEmitter", "ViewColumn"];
    const root = made("vscode", known);
    for (const name of names) root[name] = root[name];
    modules._load = (name: string, ...rest: unknown[]) => (name === "vscode" ? root : original(name, ...rest));
    for (const path of Object.keys(load.cache)) if (!path.includes("node_modules")) delete load.cache[path];
    this.extension = load("./out/extension.js");
  }

  readonly extension: { activate(context: unknown): Promise<void>; deactivate(): Promise<void> };

  private known(settings: Record<string, unknown>): Record<string, unknown> {
    const texts = new Map<string, { provideTextDocumentContent(uri: unknown): string }>();
    return {
      "vscode.version": "1.100.0",
      "vscode.env.language": "en",
      "vscode.env.appName": "test",
      "vscode.env.clipboard.writeText": async (text: string) => void (this.clipboard = text),
      "vscode.EventEmitter": EventEmitter,
      "vscode.Disposable": Disposable,
      "vscode.Uri.from": ({ scheme, path }: Record<string, string>) => ({ scheme, path, toString: () => `${scheme}:${path}` }),
      "vscode.workspace.workspaceFolders": undefined,
      "vscode.workspace.isTrusted": true,
      "vscode.workspace.textDocuments": [],
      "vscode.workspace.notebookDocuments": [],
      "vscode.workspace.getConfiguration": () => ({ get: (name: string, usual: unknown) => settings[name] ?? usual, has: () => false }),
      "vscode.workspace.registerTextDocumentContentProvider": (scheme: string, provider: never) => {
        texts.set(scheme, provider);
        return { dispose() {} };
      },
      "vscode.workspace.openTextDocument": async (uri: { scheme: string }) => {
        this.opened.push(texts.get(uri.scheme)!.provideTextDocumentContent(uri));
        return {};
      },
      "vscode.languages.getLanguages": async () => ["yaml", "json"],
      "vscode.window.activeTextEditor": { document: { uri: { toString: () => "file:///app.yaml" } } },
      "vscode.window.tabGroups": undefined,
      "vscode.window.showErrorMessage": async (...told: string[]) => {
        this.errors.push(told);
        return this.errors.length === 1 ? this.pressed : undefined;
      },
      "vscode.window.showQuickPick": async (items: { label: string }[]) => items.find((one) => one.label === this.pressed),
      "vscode.window.showInputBox": async () => "--vars 'a b.yaml'",
      "vscode.window.createWebviewPanel": (_: string, title: string) => {
        const panel = { title, webview: { html: "" }, onDidDispose() {}, dispose() {} };
        this.panels.push(panel);
        return panel;
      },
      "vscode.commands.executeCommand": async (_: string, name: string, value: unknown) => void this.context.set(name, value),
      "vscode.commands.registerCommand": (name: string, run: never) => {
        this.commands.set(name, run);
        return { dispose() {} };
      },
    };
  }
}

function made(path: string, known: Record<string, unknown>): any {
  return new Proxy(function () {}, {
    get(target: any, key) {
      if (typeof key === "symbol" || key === "then") return undefined;
      const name = `${path}.${key}`;
      if (name in known) return known[name];
      if (name === "vscode.__esModule") return true;
      return (target[key] ??= made(name, known));
    },
    apply: () => made(`${path}()`, known),
    construct: (_target, given, made) => Reflect.construct(class {}, given, made),
  });
}
