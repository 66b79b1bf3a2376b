// Evaluates templates with expr-lang as Kargo does, and prints the CPU seconds that it took and what
// they became: each expression is compiled when its turn comes, with the functions of a promotion, and
// a type is guessed from the finished text.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/expr-lang/expr"
)

type origin struct{ Kind, Name string }

type commit struct {
	RepoURL string `json:"repoURL,omitempty"`
	ID      string `json:"id,omitempty"`
	Branch  string `json:"branch,omitempty"`
	Message string `json:"message,omitempty"`
}

type image struct {
	RepoURL string `json:"repoURL,omitempty"`
	Tag     string `json:"tag,omitempty"`
	Digest  string `json:"digest,omitempty"`
}

type chart struct {
	RepoURL string `json:"repoURL,omitempty"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

type input struct {
	Templates []string
	Env       map[string]any
	Images    map[string]image
	Commits   map[string]commit
	Statuses  map[string]string
}

func first(arguments []any) string { return arguments[0].(string) }

// The options that every expression is compiled with.
func functions(known input) []expr.Option {
	function := func(answer func(...any) (any, error), name string, types ...any) expr.Option {
		return expr.Function(name, answer, types...)
	}
	nothing := func(...any) (any, error) { return map[string]string{}, nil }
	metadata := func(...any) (any, error) { return map[string]any{}, nil }
	quoted := func(arguments ...any) (any, error) {
		if text, is := arguments[0].(string); is {
			return strconv.Quote(text), nil
		}
		data, err := json.Marshal(arguments[0])
		return `"` + string(data) + `"`, err
	}
	commitOf := func(arguments ...any) (any, error) {
		if found, is := known.Commits[first(arguments)]; is {
			return &found, nil
		}
		return (*commit)(nil), nil
	}
	imageOf := func(arguments ...any) (any, error) {
		if found, is := known.Images[first(arguments)]; is {
			return &found, nil
		}
		return (*image)(nil), nil
	}
	chartOf := func(...any) (any, error) { return (*chart)(nil), nil }
	good := func(...any) (any, error) {
		for _, status := range known.Statuses {
			if status != "Succeeded" && status != "Skipped" {
				return false, nil
			}
		}
		return true, nil
	}
	bad := func(...any) (any, error) { yes, _ := good(); return !yes.(bool), nil }
	always := func(...any) (any, error) { return true, nil }
	status := func(arguments ...any) (any, error) { return known.Statuses[first(arguments)], nil }
	difference := func(arguments ...any) (any, error) { return semverDiff(first(arguments), arguments[1].(string)), nil }
	warehouse := func(arguments ...any) (any, error) { return origin{"Warehouse", first(arguments)}, nil }
	return []expr.Option{
		function(quoted, "quote", new(func(any) string)),
		function(quoted, "unsafeQuote", new(func(any) string)),
		function(quoted, "asYAML", new(func(any) string)),
		function(quoted, "asJSON", new(func(any) string)),
		function(nothing, "configMap", new(func(string) map[string]string)),
		function(nothing, "secret", new(func(string) map[string]string)),
		function(nothing, "sharedConfigMap", new(func(string) map[string]string)),
		function(nothing, "sharedSecret", new(func(string) map[string]string)),
		function(warehouse, "warehouse", new(func(string) origin)),
		function(commitOf, "commitFrom", new(func(string, origin) commit), new(func(string) commit)),
		function(imageOf, "imageFrom", new(func(string, origin) image), new(func(string) image)),
		function(chartOf, "chartFrom", new(func(string, string, origin) chart), new(func(string, origin) chart),
			new(func(string, string) chart), new(func(string) chart)),
		function(chartOf, "artifactFrom", new(func(string, origin) chart), new(func(string) chart)),
		function(metadata, "freightMetadata", new(func(string) map[string]any)),
		function(metadata, "stageMetadata", new(func(string) map[string]any)),
		function(metadata, "freightStatus", new(func(string) map[string]any)),
		function(always, "always", new(func() bool)),
		function(good, "success", new(func() bool)),
		function(bad, "failure", new(func() bool)),
		function(status, "status", new(func(string) string)),
		function(difference, "semverDiff", new(func(string, string) string)),
	}
}

func semverDiff(one, other string) string {
	a, b := strings.Split(strings.TrimPrefix(one, "v"), "."), strings.Split(strings.TrimPrefix(other, "v"), ".")
	for place, name := range []string{"Major", "Minor", "Patch"} {
		if place < len(a) && place < len(b) && a[place] != b[place] {
			return name
		}
	}
	return "None"
}

// The value of a template: its expressions pasted into its text, then the type that the text has.
func evaluate(template string, env map[string]any, options []expr.Option) (any, error) {
	if !strings.Contains(template, "${{") {
		return template, nil
	}
	var text strings.Builder
	for {
		before, rest, found := strings.Cut(template, "${{")
		text.WriteString(before)
		if !found {
			break
		}
		code, after, _ := strings.Cut(rest, "}}")
		template = after
		program, err := expr.Compile(code, options...)
		if err != nil {
			return nil, err
		}
		value, err := expr.Run(program, env)
		if err != nil {
			return nil, err
		}
		if plain, is := value.(string); is {
			text.WriteString(plain)
			continue
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		text.Write(data)
	}
	return guessed(text.String()), nil
}

func guessed(text string) any {
	if len(text) > 1 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		return text[1 : len(text)-1]
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return number
	}
	if truth, err := strconv.ParseBool(text); err == nil {
		return truth
	}
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		return value
	}
	return text
}

func cpu() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return float64(used.Utime.Sec+used.Stime.Sec) + float64(used.Utime.Usec+used.Stime.Usec)/1e6
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var known input
	if err := json.Unmarshal(data, &known); err != nil {
		panic(err)
	}
	values := make([]any, len(known.Templates))
	start := cpu()
	for place, template := range known.Templates {
		values[place], err = evaluate(template, known.Env, functions(known))
		if err != nil {
			fmt.Fprintln(os.Stderr, template, err)
			os.Exit(1)
		}
	}
	seconds := cpu() - start
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"seconds": seconds, "values": values}); err != nil {
		panic(err)
	}
}
