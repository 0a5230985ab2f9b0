package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestCodes(t *testing.T) {
	t.Parallel()
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	seen := map[Code]bool{}
	for _, e := range Codes {
		if seen[e.Code] {
			t.Errorf("%s is there twice", e.Code)
		}
		seen[e.Code] = true
		if !snake.MatchString(string(e.Code)) {
			t.Errorf("%q is not in snake case", e.Code)
		}
		for _, text := range []string{e.Message, e.Hint} {
			if text == "" || strings.HasSuffix(text, ".") {
				t.Errorf("%s says %q", e.Code, text)
			}
		}
		if e.Retry != RetrySafe && e.Retry != RetryNever && e.Retry != RetryAfterSnapshot {
			t.Errorf("%s has retry %q", e.Code, e.Retry)
		}
		f := Fail(e.Code, "")
		if f.Message != e.Message || f.Hint != e.Hint || f.Retry != e.Retry || f.Dispatched != DispatchedNo {
			t.Errorf("Fail(%s) gives %+v", e.Code, f)
		}
	}
	for name, code := range declared(t) {
		if !seen[code] {
			t.Errorf("%s (%s) is not in the table", name, code)
		}
		delete(seen, code)
	}
	for code := range seen {
		t.Errorf("%s has no constant", code)
	}
}

// declared gives the constants of type Code in codes.go.
func declared(t *testing.T) map[string]Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]Code{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
			for i, name := range spec.Names {
				code, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes[name.Name] = Code(code)
			}
		}
		return true
	})
	return codes
}

func TestUnknownCodeIsInternal(t *testing.T) {
	t.Parallel()
	if e := Code("no_such_code").Entry(); e.Code != Internal {
		t.Errorf("got %+v", e)
	}
}

func TestFaultInOneLine(t *testing.T) {
	t.Parallel()
	f := Fail(Covered, "%q covers it", "Cookies")
	tests := map[string]string{
		DispatchedNo:        `covered: "Cookies" covers it; close or move what covers it`,
		DispatchedYes:       `covered: "Cookies" covers it (it reached the page); close or move what covers it`,
		DispatchedUncertain: `covered: "Cookies" covers it (it may have reached the page); take a snapshot and look before acting again`,
	}
	for dispatched, want := range tests {
		if f.Dispatched = dispatched; f.Error() != want {
			t.Errorf("got %s, want %s", f.Error(), want)
		}
	}
}
