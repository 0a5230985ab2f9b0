package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handrail/compressor"
)

// shop is a page as lines: an indent, role, id (its uid is u and that in base 36),
// then name, value and properties. Single digits are the same in base 36.
const shop = `
RootWebArea 1 name=Shop
  heading 2 name=Green~tea
  StaticText 3 name=Price~12
  textbox 4 name=Amount value=1,299.00
  textbox 5 name=Password value=hunter2
    StaticText 6 name=hunter2
  LabelText 7 name=Your~password:~hunter2
    textbox 8 name=Password value=hunter2
  checkbox 9 name=News checked=true
  link 10 name=Buy url=https://a.test/?a=1&b=2 description=opens~a~page
  generic 11 focusable=true
    StaticText 12 name=Sold~by
    StaticText 13 name=Ada
  StaticText 14 name=12~of~30
  textbox 15 name=Card value=‹hidden›
  checkbox 16 name=All checked=mixed
  table 20
    rowgroup 21
      row 22
        columnheader 23 name=Name
        columnheader 24 name=Unit~~PRICE
        columnheader 25 name=Stock
        columnheader 26 name=Stock
    rowgroup 27
      row 30
        cell 31 name=Tea
          link 32 name=Tea url=https://a.test/tea
        cell 33 name=3.50
        cell 34 name=7
        cell 35 name=1
      row 40
        cell 41 name=Coffee
          link 42 name=Coffee url=https://a.test/coffee
        cell 43 name=n/a
        cell 44 name=0
        cell 45 name=1
  table 50
    row 51
      columnheader 52 name=A
      columnheader 53 name=B
    row 54
      cell 55 name=spans~both
  list 60
    listitem 61
      ListMarker 62 name=1.
        StaticText 63 name=1.
      StaticText 64 name=One
      link 65 name=a url=https://a.test/a
      link 66 name=b url=https://a.test/b
      list 67
        listitem 68 name=inner
    listitem 69
      StaticText 70 name=Two
      link 71 name=c url=https://a.test/c
      link 72 name=d
  list 80
`

// payloadOf makes an AX tree of such lines.
func payloadOf(lines string) []byte {
	type node map[string]any
	text := func(v string) node { return node{"value": strings.ReplaceAll(v, "~", " ")} }
	var nodes []node
	var open []int // indexes in nodes
	for _, line := range strings.Split(strings.Trim(lines, "\n"), "\n") {
		words := strings.Fields(line)
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		id, _ := strconv.Atoi(words[1])
		n := node{"nodeId": words[1], "role": text(words[0]), "backendDOMNodeId": id}
		var properties []node
		for _, word := range words[2:] {
			key, v, _ := strings.Cut(word, "=")
			switch key {
			case "name", "value", "description":
				n[key] = text(v)
			default:
				properties = append(properties, node{"name": key, "value": text(v)})
			}
		}
		n["properties"] = properties
		open = open[:depth]
		if depth > 0 {
			up := nodes[open[depth-1]]
			kids, _ := up["childIds"].([]string)
			up["childIds"] = append(kids, words[1])
		}
		open = append(open, len(nodes))
		nodes = append(nodes, n)
	}
	payload, err := json.Marshal(nodes)
	if err != nil {
		panic(err)
	}
	return payload
}

func pageOf(t testing.TB, lines string) *compressor.Page {
	t.Helper()
	p, err := compressor.Read(payloadOf(lines))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// u is the uid of a backendDOMNodeId.
func u(id int64) string { return "u" + strconv.FormatInt(id, 36) }

// in replaces each @id by the uid.
func in(schema string) string {
	parts := strings.Split(schema, "@")
	for i, part := range parts[1:] {
		digits := len(part) - len(strings.TrimLeft(part, "0123456789"))
		id, _ := strconv.ParseInt(part[:digits], 10, 64)
		parts[i+1] = u(id) + part[digits:]
	}
	return strings.Join(parts, "")
}

func TestExtract(t *testing.T) {
	t.Parallel()
	const table = `{"type":"object","properties":{"rows":{"type":"array","x-each":"@20","items":%s}}}`
	const list = `{"type":"object","properties":{"items":{"type":"array","x-each":"@60","items":%s}}}`
	for _, test := range []struct{ name, schema, want string }{
		{"a price and a heading",
			`{"type":"object","properties":{"title":{"type":"string","x-ref":"@2"},"price":{"type":"number","x-ref":"@3"}},"required":["title","price"]}`,
			`{"price":12,"title":"Green tea"}`},
		{"attributes",
			`{"properties":{"a":{"x-ref":"@10","x-attr":"name"},"b":{"x-ref":"@10","x-attr":"url"},"c":{"x-ref":"@10","x-attr":"description"},
			"d":{"x-ref":"@11","x-attr":"text"},"e":{"type":"integer","x-ref":"@4","x-attr":"value"},"f":{"type":"boolean","x-ref":"@9","x-attr":"checked"},"g":{"x-ref":"@11","x-attr":"name"}}}`,
			`{"a":"Buy","b":"https://a.test/?a=1&b=2","c":"opens a page","d":"Sold by Ada","e":1299,"f":true,"g":""}`},
		{"the text where there is no name", `{"properties":{"a":{"x-ref":"@11"}}}`, `{"a":"Sold by Ada"}`},
		{"optional ones are null",
			`{"properties":{"a":{"x-ref":"@2"},"gone":{"x-ref":"u999"},"many":{"type":"number","x-ref":"@14"},"part":{"type":"integer","x-ref":"@2"},
			"url":{"x-ref":"@2","x-attr":"url"},"bare":{"type":"string"},"all":true,"mixed":{"type":"boolean","x-ref":"@16","x-attr":"checked"}}}`,
			`{"a":"Green tea","all":null,"bare":null,"gone":null,"many":null,"mixed":null,"part":null,"url":null}`},
		{"optional ones that are not of the schema are null",
			`{"properties":{"a":{"x-ref":"@2","enum":["Black tea"]},"b":{"x-ref":"@2","pattern":"^G"},"c":{"type":"number","x-ref":"@3","maximum":11},"d":{"x-ref":"@2","enum":["Green tea"]}}}`,
			`{"a":null,"b":"Green tea","c":null,"d":"Green tea"}`},
		{"a nested object",
			`{"type":"object","properties":{"seller":{"type":"object","properties":{"name":{"x-ref":"@13"},"of":{"type":"object","properties":{"x":{"type":"number","x-ref":"@3"}}}},"required":["name"]},"none":{"type":"object"}}}`,
			`{"none":null,"seller":{"name":"Ada","of":{"x":12}}}`},
		{"a secret field", `{"properties":{"a":{"x-ref":"@5","x-attr":"value"},"b":{"x-ref":"@6"},"c":{"x-ref":"@7"},"d":{"x-ref":"@15","x-attr":"value"},"e":{"x-ref":"@2"},"f":{"x-ref":"@5"}}}`,
			`{"a":null,"b":null,"c":null,"d":null,"e":"Green tea","f":null}`},
		{"rows by header and number",
			fmt.Sprintf(table, `{"type":"object","properties":{"name":{"x-column":"NAME"},"price":{"type":"number","x-column":" unit price "},"stock":{"type":"integer","x-column":3}},"required":["name"]}`),
			`{"rows":[{"name":"Tea","price":3.5,"stock":7},{"name":"Coffee","price":null,"stock":0}]}`},
		{"a role in a column, and in the item",
			fmt.Sprintf(table, `{"properties":{"a":{"x-column":"name","x-role":"link","x-attr":"url"},"b":{"x-role":"Cell","x-nth":2},"c":{"x-column":2,"x-role":"link"}}}`),
			`{"rows":[{"a":"https://a.test/tea","b":"3.50","c":null},{"a":"https://a.test/coffee","b":"n/a","c":null}]}`},
		{"a column that is not there, or twice",
			fmt.Sprintf(table, `{"properties":{"a":{"x-column":"stock"},"b":{"x-column":"colour"},"c":{"x-column":5},"d":{"x-column":4}}}`),
			`{"rows":[{"a":null,"b":null,"c":null,"d":"1"},{"a":null,"b":null,"c":null,"d":"1"}]}`},
		{"a row that is not as wide as its header",
			`{"properties":{"rows":{"type":"array","x-each":"@50","items":{"properties":{"b":{"x-column":"a"},"c":{"x-column":1}}}}}}`,
			`{"rows":[{"b":null,"c":"spans both"}]}`},
		{"a row group has the headers of its table", `{"properties":{"rows":{"type":"array","x-each":"@27","items":{"x-column":"name"}}}}`, `{"rows":["Tea","Coffee"]}`},
		{"an array of scalars by role", fmt.Sprintf(list, `{"type":"string","x-role":"link"}`), `{"items":["a","c"]}`},
		{"an array of the items themselves", fmt.Sprintf(list, `{"type":"string"}`), `{"items":["One","Two"]}`},
		{"list items",
			fmt.Sprintf(list, `{"type":"object","properties":{"text":{"x-role":"text"},"second":{"x-role":"link","x-nth":2,"x-attr":"url"},"all":{"x-attr":"text"},"page":{"x-ref":"@2"}}}`),
			`{"items":[{"all":"One","page":"Green tea","second":"https://a.test/b","text":"One"},{"all":"Two","page":"Green tea","second":null,"text":"Two"}]}`},
		{"rows of several tables, without the list items beside them", `{"properties":{"a":{"type":"array","x-each":"@1","items":{"x-column":1}}}}`, `{"a":["Tea","Coffee","spans both"]}`},
		{"an empty list", `{"properties":{"a":{"type":"array","x-each":"@80","items":{}}}}`, `{"a":[]}`},
		{"an optional array without items", `{"properties":{"a":{"type":"array","x-each":"@2","items":{}},"b":{"type":"array","x-each":"@60","minItems":3,"items":{}},"c":{"x-ref":"@2"}}}`, `{"a":null,"b":null,"c":"Green tea"}`},
		{"an optional array of what does not fit", fmt.Sprintf(list, `{"type":"number","x-role":"link"}`), `{"items":null}`},
		{"types with null, unknown keywords", `{"x-else":1,"properties":{"a":{"type":["number","null"],"x-ref":"@3","frob":true}}}`, `{"a":12}`},
		{"an older draft", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"array","x-each":"@60","items":{"x-role":"link","maxLength":0}}}}`, `{"a":null}`},
		{"a key with slashes", `{"properties":{"a/b~c<":{"x-ref":"@2","minLength":1}}}`, `{"a/b~c<":"Green tea"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			schema := []byte(in(test.schema))
			got, err := Extract(pageOf(t, shop), schema, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			again, err := Extract(pageOf(t, shop), schema, Options{})
			if err != nil || string(again) != string(got) {
				t.Errorf("again it gives %s, %v", again, err)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70)
	for _, test := range []struct {
		name, schema string
		code         string
		property     string
		id           int64 // of the uid, 0 for none
		reason       string
	}{
		{"no JSON", `{`, InvalidSchema, "", 0, "EOF"},
		{"no object", `true`, InvalidSchema, "", 0, "no object"},
		{"against the metaschema", `{"properties":{"a":{"x-ref":"@2","minLength":"1"}}}`, InvalidSchema, "", 0, "/properties/a/minLength: got string, want integer"},
		{"an unknown type", `{"properties":{"a":{"x-ref":"@2","type":"money"}}}`, InvalidSchema, "", 0, "type"},
		{"a pattern", `{"properties":{"a":{"x-ref":"@2","pattern":"("}}}`, InvalidSchema, "", 0, ""},
		{"another schema", `{"properties":{"a":{"x-ref":"@2","$ref":"file:///etc/passwd"}}}`, InvalidSchema, "", 0, "not loaded"},
		{"too deep", long, InvalidSchema, "", 0, "64 levels"},
		{"a number too large", `{"properties":{"a":{"x-ref":"@2","maximum":1e999999}}}`, InvalidSchema, "", 0, "too large"},
		{"an array", `{"type":"array","x-each":"@60","items":{}}`, InvalidSchema, "", 0, "not object"},
		{"several types", `{"properties":{"a":{"x-ref":"@2","type":["string","number"]}}}`, InvalidSchema, "/properties/a/type", 0, "several types"},
		{"null alone", `{"properties":{"a":{"x-ref":"@2","type":"null"}}}`, InvalidSchema, "/properties/a/type", 0, "null"},
		{"an unknown attribute", `{"properties":{"a":{"x-ref":"@2","x-attr":"href"}}}`, InvalidSchema, "/properties/a/x-attr", 0, "none of"},
		{"x-ref is no text", `{"properties":{"a/b":{"x-ref":2}}}`, InvalidSchema, "/properties/a~1b/x-ref", 0, "no text"},
		{"x-nth 0", `{"properties":{"a":{"type":"array","x-each":"@60","items":{"x-role":"link","x-nth":0}}}}`, InvalidSchema, "/properties/a/items/x-nth", 0, "whole number"},
		{"x-column 1.5", `{"properties":{"a":{"type":"array","x-each":"@60","items":{"x-column":1.5}}}}`, InvalidSchema, "/properties/a/items/x-column", 0, "header"},
		{"x-role outside", `{"properties":{"a":{"x-role":"link"}}}`, InvalidSchema, "/properties/a", 0, "only in an x-each"},
		{"x-ref of an object", `{"properties":{"a":{"type":"object","x-ref":"@2"}}}`, InvalidSchema, "/properties/a", 0, "an object has"},
		{"x-ref beside x-role", `{"properties":{"a":{"type":"array","x-each":"@60","items":{"x-role":"link","x-ref":"@2"}}}}`, InvalidSchema, "/properties/a/items", 0, "beside"},
		{"x-each in x-each", `{"properties":{"a":{"type":"array","x-each":"@60","items":{"type":"array","x-each":"@60","items":{}}}}}`, InvalidSchema, "/properties/a/items/x-each", 0, "another"},
		{"x-each of a text", `{"properties":{"a":{"type":"string","x-each":"@60"}}}`, InvalidSchema, "/properties/a/x-each", 0, "array"},
		{"x-each without items", `{"properties":{"a":{"type":"array","x-each":"@60"}}}`, InvalidSchema, "/properties/a/items", 0, "items"},

		{"nothing referred to", `{"properties":{"a":{"type":"string"}},"required":["a"]}`, NoRefs, "", 0, "x-ref"},
		{"an empty schema", `{"type":"object"}`, NoRefs, "", 0, "x-ref"},

		{"not on the page", `{"properties":{"a":{"x-ref":"u999"}},"required":["a"]}`, UnresolvedRef, "/a", 9*36*36 + 9*36 + 9, "no such node"},
		{"required but not given", `{"properties":{"a":{"x-ref":"@2"}},"required":["b"]}`, UnresolvedRef, "/b", 0, "where it stands"},
		{"no url", `{"properties":{"a":{"x-ref":"@2","x-attr":"url"}},"required":["a"]}`, UnresolvedRef, "/a", 2, "no url"},
		{"a secret", `{"properties":{"a":{"x-ref":"@5","x-attr":"value"}},"required":["a"]}`, UnresolvedRef, "/a", 5, Secret},
		{"a text in a secret field", `{"properties":{"a":{"x-ref":"@6"}},"required":["a"]}`, UnresolvedRef, "/a", 6, Secret},
		{"a label around a secret field", `{"properties":{"a":{"x-ref":"@7"}},"required":["a"]}`, UnresolvedRef, "/a", 7, Secret},
		{"a blanked value", `{"properties":{"a":{"x-ref":"@15","x-attr":"value"}},"required":["a"]}`, UnresolvedRef, "/a", 15, Secret},
		{"no list", `{"properties":{"a":{"type":"array","x-each":"@2","items":{}}},"required":["a"]}`, UnresolvedRef, "/a", 2, "no rows"},
		{"no such list", `{"properties":{"a":{"type":"array","x-each":"u9999","items":{}}},"required":["a"]}`, UnresolvedRef, "/a", 9 * (36*36*36 + 36*36 + 36 + 1), "no such node"},
		{"not in an item", `{"properties":{"a":{"type":"array","x-each":"@60","items":{"properties":{"b":{"x-role":"link","x-nth":3}},"required":["b"]}}}}`, UnresolvedRef, "/a/0/b", 61, "2 nodes of role"},
		{"an unknown column", `{"properties":{"a":{"type":"array","x-each":"@20","items":{"x-column":"colour"}}},"required":["a"]}`, UnresolvedRef, "/a/0", 30, `no column is headed "colour"`},
		{"two columns of a name", `{"properties":{"a":{"type":"array","x-each":"@20","items":{"x-column":"stock"}}},"required":["a"]}`, UnresolvedRef, "/a/0", 30, "several columns"},
		{"a spanning cell", `{"properties":{"a":{"type":"array","x-each":"@50","items":{"x-column":"A"}}},"required":["a"]}`, UnresolvedRef, "/a/0", 54, "1 cells, its header 2"},

		{"two numbers", `{"properties":{"a":{"type":"number","x-ref":"@14"}},"required":["a"]}`, BadType, "/a", 14, "several numbers"},
		{"no bool", `{"properties":{"a":{"type":"boolean","x-ref":"@16","x-attr":"checked"}},"required":["a"]}`, BadType, "/a", 16, "mixed"},
		{"enum", `{"properties":{"a":{"x-ref":"@2","enum":["x"]}},"required":["a"]}`, BadType, "/a", 2, "'x'"},
		{"minimum", `{"properties":{"a":{"type":"number","x-ref":"@3","minimum":12.5}},"required":["a"]}`, BadType, "/a", 3, "minimum"},
		{"in a later row", `{"properties":{"a":{"type":"array","x-each":"@20","items":{"properties":{"p":{"type":"number","x-column":2}},"required":["p"]}}}}`, BadType, "/a/1/p", 43, "no number"},
		{"in an optional object", `{"properties":{"o":{"type":"object","properties":{"p":{"type":"number","x-ref":"@2"}},"required":["p"]}}}`, BadType, "/o/p", 2, "no number"},
		{"too few items", `{"properties":{"a":{"type":"array","x-each":"@60","minItems":3,"items":{}}},"required":["a"]}`, BadType, "/a", 60, "minItems"},
		{"of the whole", `{"properties":{"a":{"x-ref":"@2"},"b":{"x-ref":"u999"}},"minProperties":2}`, BadType, "", 0, "minProperties"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Extract(pageOf(t, shop), []byte(in(test.schema)), Options{})
			var f *Failure
			if !errors.As(err, &f) {
				t.Fatalf("got %s, %v", got, err)
			}
			uid := ""
			if test.id > 0 {
				uid = u(test.id)
			}
			if f.Code != test.code || f.Property != test.property || f.UID != uid || !strings.Contains(f.Reason, test.reason) {
				t.Errorf("got %+v", *f)
			}
			if got != nil || !strings.Contains(err.Error(), f.Code) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestLocale(t *testing.T) {
	t.Parallel()
	schema := []byte(`{"properties":{"a":{"type":"number","x-ref":"u2"}},"required":["a"]}`)
	p := pageOf(t, "RootWebArea 1\n  StaticText 2 name=1.299,00~€")
	if got, err := Extract(p, schema, Options{Locale: "de"}); err != nil || string(got) != `{"a":1299}` {
		t.Errorf("de: %s, %v", got, err)
	}
	if got, err := Extract(p, schema, Options{}); err == nil {
		t.Errorf("en: %s", got)
	}
	if got, err := Extract(p, schema, Options{Locale: "xx"}); err == nil || !strings.Contains(err.Error(), "locale") {
		t.Errorf("xx: %s, %v", got, err)
	}
}

// FuzzExtract extracts by any schema. It gives an error, or what validates against
// the schema once the nulls are left out, the same twice.
func FuzzExtract(f *testing.F) {
	for _, schema := range []string{
		`{"properties":{"title":{"x-ref":"@2"},"price":{"type":"number","x-ref":"@3","minimum":1}},"required":["title"]}`,
		`{"properties":{"a":{"type":"array","x-each":"@20","items":{"properties":{"b":{"x-column":"name","x-role":"link","x-attr":"url"}}}}}}`,
		`{"properties":{"a":{"type":"array","x-each":"@60","uniqueItems":true,"items":{"x-role":"link","pattern":"a"}}}}`,
		`{"$ref":"#/properties/a","properties":{"a":{"x-ref":"@2","$id":"x"}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"x-ref":"@3","type":"integer","multipleOf":5}}}`,
	} {
		f.Add([]byte(in(schema)))
	}
	page := payloadOf(shop)
	f.Fuzz(func(t *testing.T, schema []byte) { checkExtract(t, page, schema) })
}

// TestRandomSchemas checks what FuzzExtract checks, for the same schemas each time.
func TestRandomSchemas(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	page := payloadOf(shop)
	var had int
	for range 3000 {
		if checkExtract(t, page, randomSchema(random)) {
			had++
		}
	}
	if had < 300 {
		t.Errorf("only %d schemas had a result", had)
	}
}

func randomSchema(random *rand.Rand) []byte {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	var value func(depth int, inItem bool) string
	object := func(depth int, inItem bool) string {
		var properties []string
		for i := range random.IntN(4) {
			properties = append(properties, fmt.Sprintf("%q:%s", string(rune('a'+i)), value(depth+1, inItem)))
		}
		return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]%s}`, strings.Join(properties, ","),
			one("", "", "", `"a"`), one("", "", `,"additionalProperties":false`, `,"minProperties":1`))
	}
	value = func(depth int, inItem bool) string {
		switch k := random.IntN(6); {
		case k == 0 && depth < 4:
			return object(depth, inItem)
		case k == 1 && !inItem:
			return fmt.Sprintf(`{"type":"array","x-each":%q%s,"items":%s}`, u(int64(one("\x14", "\x1b", "\x32", "\x3c", "\x50", "\x02")[0])),
				one("", `,"minItems":2`, `,"uniqueItems":true`), one(object(depth, true), value(4, true)))
		}
		at := fmt.Sprintf(`"x-ref":%q`, u(random.Int64N(75)))
		if inItem {
			at = one(`"x-role":"link"`, `"x-role":"cell","x-nth":2`, `"x-column":1`, `"x-column":"name"`, `"x-column":"stock"`, `"x-attr":"text"`)
		} else {
			at += one("", "", `,"x-attr":"value"`, `,"x-attr":"url"`, `,"x-attr":"checked"`, `,"x-attr":"text"`)
		}
		return fmt.Sprintf(`{"type":%q,%s%s}`, one("string", "number", "integer", "boolean"), at,
			one("", "", `,"enum":["Tea",12,true]`, `,"minimum":5`, `,"pattern":"^T"`, `,"maxLength":4`))
	}
	return []byte(object(0, false))
}

// checkExtract says whether there was a result.
func checkExtract(t *testing.T, page, schema []byte) bool {
	var got [2]json.RawMessage
	for i := range got {
		p, err := compressor.Read(page)
		if err != nil {
			t.Fatal(err)
		}
		if got[i], err = Extract(p, schema, Options{}); err != nil {
			var f *Failure
			if !errors.As(err, &f) || f.Code == "" || f.Reason == "" || got[i] != nil {
				t.Fatalf("%s gives %s, %v", schema, got[i], err)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("%s: %v", schema, err)
			}
		}
	}
	if string(got[0]) != string(got[1]) {
		t.Fatalf("%s gives %s and %s", schema, got[0], got[1])
	}
	if got[0] == nil {
		return false
	}
	if strings.Contains(string(got[0]), "hunter2") {
		t.Fatalf("%s gives %s", schema, got[0])
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource("test:///", doc); err != nil {
		t.Fatal(err)
	}
	result, err := jsonschema.UnmarshalJSON(strings.NewReader(string(got[0])))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.MustCompile("test:///").Validate(withoutNulls(result)); err != nil {
		t.Fatalf("%s gives %s: %v", schema, got[0], err)
	}
	return true
}
