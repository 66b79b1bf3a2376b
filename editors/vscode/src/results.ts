// What commands of the server give is shown: pictures in a panel, other texts to the side.
import * as vscode from "vscode";

/** A text of a language; `svg` is a picture. */
interface Result {
  title: string;
  language: string;
  text: string;
}

const SCHEME = "bpp";

export function isResult(value: unknown): value is Result {
  const one = value as Partial<Result> | null;
  return typeof one === "object" && one !== null && [one.title, one.language, one.text].every((part) => typeof part === "string");
}

/** A page with a picture, in which nothing runs and nothing is loaded. */
export function pictureOf(svg: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"></head><body style="background: white">${svg}</body></html>`;
}

export class Results implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly registered: vscode.Disposable[];
  readonly onDidChange = this.changes.event;

  constructor() {
    this.registered = [
      this.changes,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((closed) => {
        if (closed.uri.scheme === SCHEME) this.texts.delete(closed.uri.toString());
      }),
    ];
  }

  dispose(): void {
    for (const one of [...this.registered, ...this.panels.values()]) one.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  async show(result: Result): Promise<void> {
    if (result.language === "svg") this.showPicture(result);
    else await this.showText(result);
  }

  private showPicture(result: Result): void {
    let panel = this.panels.get(result.title);
    if (panel === undefined) {
      panel = vscode.window.createWebviewPanel("bpp.picture", result.title, vscode.ViewColumn.Beside);
      panel.onDidDispose(() => this.panels.delete(result.title));
      this.panels.set(result.title, panel);
    }
    panel.webview.html = pictureOf(result.text);
  }

  private async showText(result: Result): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${result.title}` });
    this.texts.set(uri.toString(), result.text);
    this.changes.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const languages = await vscode.languages.getLanguages();
    if (languages.includes(result.language)) await vscode.languages.setTextDocumentLanguage(document, result.language);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
  }
}
