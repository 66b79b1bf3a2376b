// What Landscaper does with a deploy execution: runs its template over the data, reads the text as YAML and
// writes the deploy items, as YAML or, with -json, as JSON.
//
// usage: engine [-json] FOLDER, with deploy.tmpl, imports.json and component-descriptor.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(folder, name string) []byte {
	content, err := os.ReadFile(filepath.Join(folder, name))
	check(err)
	return content
}

func resource(descriptor object, key, value string) (object, error) {
	component := descriptor["component"].(object)
	for _, one := range component["resources"].([]interface{}) {
		if found := one.(object); found[key] == value {
			return found, nil
		}
	}
	return nil, fmt.Errorf("no resource with %s %s", key, value)
}

func functions() template.FuncMap {
	known := template.FuncMap(sprig.FuncMap())
	known["getResource"] = resource
	known["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	split := func(image string) int { return strings.LastIndex(image, ":") }
	known["ociRefRepo"] = func(image string) string { return image[:split(image)] }
	known["ociRefVersion"] = func(image string) string { return image[split(image)+1:] }
	return known
}

func main() {
	arguments := os.Args[1:]
	asJSON := arguments[0] == "-json"
	folder := arguments[len(arguments)-1]
	data, descriptor := object{}, object{}
	check(json.Unmarshal(read(folder, "imports.json"), &data))
	check(json.Unmarshal(read(folder, "component-descriptor.json"), &descriptor))
	data["cd"] = descriptor
	made := template.New("execution").Funcs(functions()).Option("missingkey=zero")
	parsed, err := made.Parse(string(read(folder, "blueprint/deploy.tmpl")))
	check(err)
	var text strings.Builder
	check(parsed.Execute(&text, data))
	result := object{}
	check(yaml.Unmarshal([]byte(text.String()), &result))
	var written []byte
	if asJSON {
		written, err = json.Marshal(result)
	} else {
		written, err = yaml.Marshal(result)
	}
	check(err)
	_, err = os.Stdout.Write(written)
	check(err)
}
