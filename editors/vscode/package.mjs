// Writes bpp-VERSION.vsix: a zip file of the extension with two descriptions of it. The same sources
// give the same bytes.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";

const described = JSON.parse(readFileSync("package.json", "utf8"));
const { name, version, publisher, displayName, description, keywords, categories, engines } = described;
const parts = {
  scripts: undefined,
  private: undefined,
  dependencies: undefined,
  devDependencies: undefined,
  overrides: undefined,
};

const escaped = (text) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(","))}</Tags>
    <Categories>${escaped(categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
const types = { json: "application/json", js: "application/javascript", md: "text/markdown", txt: "text/plain" };
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
${Object.entries(types)
  .map(([extension, type]) => `  <Default Extension=".${extension}" ContentType="${type}"/>`)
  .join("\n")}
</Types>
`;

const files = {
  "extension.vsixmanifest": strToU8(manifest),
  "[Content_Types].xml": strToU8(contentTypes),
  "extension/package.json": strToU8(JSON.stringify({ ...described, ...parts }, null, 2)),
  "extension/README.md": readFileSync("README.md"),
  "extension/LICENSE.txt": readFileSync("../../LICENSE"),
  "extension/NOTICE.txt": readFileSync("out/NOTICE.txt"),
  "extension/out/extension.js": readFileSync("out/extension.js"),
};
for (const one of readdirSync("syntaxes")) files[`extension/syntaxes/${one}`] = readFileSync(`syntaxes/${one}`);

const target = `${name}-${version}.vsix`;
writeFileSync(target, zipSync(files, { level: 9, mtime: "1980-01-01T12:00:00" }));
console.log(target);
