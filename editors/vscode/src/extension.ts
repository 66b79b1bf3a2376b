// The extension: starts `bpp lsp`, shows what its commands give, offers tasks.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  type CloseHandlerResult,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { chooseInputs } from "./inputs";
import { COPY, OUTPUT, RETRY, SETTINGS, STOPPED, advice, findProgram, type Advice, type Program } from "./program";
import { Results, isResult } from "./results";
import { provideTasks } from "./tasks";

const CHOOSE = "bpp.chooseInputs";
const LANGUAGES = ["yaml", "json", "jsonc"];
const CONFIGURATIONS = "**/{bpp,pyproject}.toml";
const RESTARTING = ["bpp.enable", "bpp.path", "bpp.arguments", "bpp.dialects"];
const WORDS = 4000;
const STOP_MS = 2000;
const MOST_CRASHES = 3;

let running: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const channel = vscode.window.createOutputChannel("bpp", { log: true });
  const results = new Results();
  const server = new Server(channel, results);
  running = server;
  context.subscriptions.push(
    channel,
    results,
    provideTasks(program),
    vscode.commands.registerCommand("bpp.restartServer", () => server.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (RESTARTING.some((name) => change.affectsConfiguration(name))) void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );
  await server.restart();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

function program(): Program {
  const settings = vscode.workspace.getConfiguration("bpp");
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return findProgram(
    settings.get("path", ""),
    settings.get("arguments", []),
    folders.map((folder) => folder.uri.fsPath),
    existsSync,
  );
}

/** A client that writes its troubles to the output channel: what a user should know is told once, here. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

class Server {
  private client: LanguageClient | undefined;
  private child: ChildProcess | undefined;
  private isStarted = false;
  private crashes = 0;
  /** Starts and stops happen one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly channel: vscode.LogOutputChannel,
    private readonly results: Results,
  ) {}

  restart(): Promise<void> {
    return this.next(async () => {
      await this.end();
      if (vscode.workspace.getConfiguration("bpp").get("enable", true)) await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.next(() => this.end());
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step, step);
    return this.turn;
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.isStarted = false;
    this.crashes = 0;
    await vscode.commands.executeCommand("setContext", "bpp.running", false);
    const child = this.child;
    if (client?.isRunning()) await client.stop(STOP_MS).catch(() => child?.kill());
    await client?.dispose(STOP_MS).catch(() => undefined);
  }

  private async begin(): Promise<void> {
    const { path, arguments: given } = program();
    let failed: NodeJS.ErrnoException | undefined;
    let words = "";
    let ended: Promise<unknown> = Promise.resolve();
    const start = async () => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      const child = spawn(path, [...given, "lsp"], folder === undefined ? {} : { cwd: folder });
      child.on("error", (error) => (failed = error));
      this.child = child;
      ended = once(child, "close").catch(() => undefined);
      child.stderr.on("data", (data: Buffer) => (words = (words + data.toString()).slice(-WORDS)));
      return child;
    };
    const client = new Client("bpp", "Blueprint PreProcessor", start, this.options());
    this.client = client;
    try {
      await client.start();
      this.isStarted = true;
      await vscode.commands.executeCommand("setContext", "bpp.running", true);
    } catch (error) {
      this.channel.error(String(error));
      await Promise.race([ended, delay(STOP_MS)]); // by then it has said its last words
      void this.tell(advice(path, failed, words));
    }
  }

  private options(): LanguageClientOptions {
    const dialects: Record<string, string> = vscode.workspace.getConfiguration("bpp").get("dialects", {});
    return {
      documentSelector: [
        ...LANGUAGES.flatMap((language) => [
          { scheme: "file", language },
          { scheme: "untitled", language },
        ]),
        { scheme: "file", pattern: CONFIGURATIONS },
        ...Object.keys(dialects).map((pattern) => ({ scheme: "file", pattern: `**/${pattern}` })),
      ],
      initializationOptions: { dialects },
      outputChannel: this.channel,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(),
      },
      middleware: {
        executeCommand: async (command, given, next) => {
          const active = vscode.window.activeTextEditor?.document.uri.toString();
          const told = given.length || active === undefined ? given : [active];
          if (command === CHOOSE && told.length === 1) {
            const words = await chooseInputs(await next(command, [...told, "list"]));
            return words && next(command, [...told, ...words]);
          }
          const result: unknown = await next(command, told);
          if (isResult(result)) await this.results.show(result);
          else if (typeof result === "string") void vscode.window.showInformationMessage(result);
          return result;
        },
      },
    };
  }

  private closed(): CloseHandlerResult {
    const again = this.isStarted && (this.crashes += 1) <= MOST_CRASHES;
    if (this.isStarted && !again) void this.tell(STOPPED);
    return { action: again ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
  }

  private async tell({ message, buttons, command }: Advice): Promise<void> {
    switch (await vscode.window.showErrorMessage(message, ...buttons)) {
      case SETTINGS:
        return void vscode.commands.executeCommand("workbench.action.openSettings", "bpp.");
      case COPY:
        return vscode.env.clipboard.writeText(command ?? "");
      case OUTPUT:
        return this.channel.show();
      case RETRY:
        return this.restart();
    }
  }
}
