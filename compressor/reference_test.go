package compressor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The reference: the base rules once more for arrays and objects, over
// encoding/json, recursive, slow and as plain as can be. It shares no code with
// the package but the list of roles' kinds and the printing of a record.

type member struct {
	key   string
	value json.RawMessage
}

// members lists the members of a JSON object in order; false when it is none.
func members(value json.RawMessage) ([]member, bool) {
	if len(value) == 0 || value[0] != '{' {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.Token()
	var all []member
	for d.More() {
		key, _ := d.Token()
		var v json.RawMessage
		d.Decode(&v)
		all = append(all, member{key.(string), v})
	}
	return all, true
}

// last returns the last member with one of the keys.
func last(value json.RawMessage, keys ...string) json.RawMessage {
	all, _ := members(value)
	for i := len(all) - 1; i >= 0; i-- {
		if slices.Contains(keys, all[i].key) {
			return all[i].value
		}
	}
	return nil
}

func elements(value json.RawMessage) ([]json.RawMessage, bool) {
	if len(value) == 0 || value[0] != '[' {
		return nil, false
	}
	var all []json.RawMessage
	err := json.Unmarshal(value, &all)
	return all, err == nil
}

func stringOf(value json.RawMessage) string {
	var s string
	if len(value) > 0 && value[0] == '"' {
		json.Unmarshal(value, &s)
	}
	return s
}

func textOf(value json.RawMessage) string {
	folded := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	switch {
	case len(value) == 0 || value[0] == 'n':
		return ""
	case value[0] == '"':
		return folded(stringOf(value))
	case value[0] == '[' || value[0] == '{':
		var b bytes.Buffer
		json.Compact(&b, value)
		return folded(string([]rune(b.String())))
	case value[0] == 't' || value[0] == 'f':
		return string(value)
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return string(value)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func axText(node json.RawMessage, key string) string { return textOf(last(last(node, key), "value")) }

func intOf(value json.RawMessage) int64 {
	if len(value) == 0 || !strings.Contains("-0123456789", string(value[:1])) {
		return 0
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f != float64(int64(f)) || f >= 1<<53 || f <= -(1<<53) {
		return 0
	}
	return int64(f)
}

// depthOf is how deep arrays and objects nest in well-formed JSON.
func depthOf(payload []byte) int {
	depth, deepest := 0, 0
	quoted := false
	for i := 0; i < len(payload); i++ {
		switch c := payload[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

// refNode is a node with every field that is read.
type refNode struct {
	ID, Parent, Frame, Role, Name, Value, Description string
	Ignored                                           bool
	Backend                                           int64
	Properties                                        [][2]string // name and raw value
	Children                                          []string
}

func refNodeOf(value json.RawMessage) (n refNode) {
	n.ID = stringOf(last(value, "nodeId"))
	n.Parent = stringOf(last(value, "parentId"))
	n.Frame = stringOf(last(value, "frameId", "frameID"))
	n.Role, n.Name, n.Value = axText(value, "role"), axText(value, "name"), axText(value, "value")
	n.Description = axText(value, "description")
	n.Ignored = string(last(value, "ignored")) == "true"
	n.Backend = intOf(last(value, "backendDOMNodeId", "backendDOMNodeID"))
	properties, _ := elements(last(value, "properties"))
	for _, p := range properties {
		name, is := last(p, "name"), last(last(p, "value"), "value")
		n.Properties = append(n.Properties, [2]string{stringOf(name), string(is)})
	}
	children, _ := elements(last(value, "childIds"))
	for _, c := range children {
		if c[0] == '"' {
			n.Children = append(n.Children, stringOf(c))
		}
	}
	return n
}

func (n refNode) equal(o refNode) bool {
	text := func(properties [][2]string) (all []string) {
		for _, p := range properties {
			all = append(all, p[0], textOf(json.RawMessage(p[1])))
		}
		return all
	}
	same := slices.Equal(text(n.Properties), text(o.Properties))
	n.Properties, o.Properties = nil, nil
	return same && reflect.DeepEqual(n, o)
}

// refStates maps what a node's properties set: absent, false or true.
func refStates(n refNode) map[string]bool {
	states := map[string]bool{}
	for _, p := range n.Properties {
		name, value := p[0], json.RawMessage(p[1])
		if !slices.Contains([]string{"disabled", "checked", "expanded", "selected", "focused", "editable", "focusable", "clickable"}, name) || len(value) == 0 {
			continue
		}
		switch c := value[0]; {
		case c == 't' || c == 'f':
			states[name] = c == 't'
		case c == '-' || '0' <= c && c <= '9':
			if name != "editable" {
				digits, _, _ := strings.Cut(strings.ReplaceAll(string(value), "E", "e"), "e")
				states[name] = strings.ContainsAny(digits, "123456789")
			}
		case c == '"':
			switch token := strings.ToLower(textOf(value)); token {
			case "true", "1", "yes":
				states[name] = true
			case "false", "0", "no", "":
				states[name] = false
			case "mixed":
				if name == "checked" {
					states[name] = true
				}
			case "plaintext", "richtext":
				if name == "editable" {
					states[name] = true
				}
			}
		}
	}
	return states
}

var refWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

type refRecord struct {
	depth                           int
	uid, role, printed, name, value string
	labels                          []string
}

// refView renders an array or object by the base rules, or says why not.
func refView(payload []byte) (string, Reason) {
	if !json.Valid(payload) || depthOf(payload) > 512 {
		return "", ReasonInvalidJSON
	}
	value := json.RawMessage(bytes.TrimSpace(payload))
	list, ok := elements(value)
	if !ok {
		list, ok = elements(last(value, "nodes"))
	}
	if !ok || len(list) == 0 {
		return "", ReasonNotAXTree
	}
	var nodes []refNode
	for _, v := range list {
		if v[0] != '{' {
			return "", ReasonNotAXTree
		}
		nodes = append(nodes, refNodeOf(v))
	}
	for _, n := range nodes {
		if n.ID == "" {
			return "", ReasonMissingNodeID
		}
	}
	byID := map[string]int{}
	var kept []refNode
	for _, n := range nodes {
		if first, ok := byID[n.ID]; !ok {
			byID[n.ID] = len(kept)
			kept = append(kept, n)
		} else if !kept[first].equal(n) {
			return "", ReasonDuplicateNodeID
		}
	}
	live := false
	for _, n := range kept {
		if !n.Ignored && n.Role == "" {
			return "", ReasonEmptyRole
		}
		live = live || !n.Ignored
	}
	if !live {
		return "", ReasonNoLiveNodes
	}

	var records []refRecord
	uids := map[string]int{}
	seen := make([]bool, len(kept))
	var visit func(i, depth int)
	visit = func(i, depth int) {
		if seen[i] {
			return
		}
		seen[i] = true
		if n := kept[i]; !n.Ignored {
			states := refStates(n)
			if r, ok := refRecordOf(n, states, uids); ok {
				r.depth = depth
				records = append(records, r)
				depth++
			}
		}
		for _, id := range kept[i].Children {
			if child, ok := byID[id]; ok {
				visit(child, depth)
			}
		}
	}
	listed := map[string]bool{}
	for _, n := range kept {
		for _, id := range n.Children {
			listed[id] = true
		}
	}
	for i, n := range kept {
		if !listed[n.ID] {
			visit(i, 0)
		}
	}
	for i := range kept {
		visit(i, 0)
	}
	if len(records) == 0 {
		return "", ReasonNoRecords
	}

	said := map[string]bool{}
	for _, r := range records {
		if r.role != "statictext" {
			said[strings.ToLower(r.name)], said[strings.ToLower(r.value)] = true, true
		}
	}
	delete(said, "")
	var lines []string
	for _, r := range records {
		if r.role == "statictext" && said[strings.ToLower(r.name)] {
			continue
		}
		lines = append(lines, r.line())
	}
	return strings.Join(lines, "\n"), ""
}

func refRecordOf(n refNode, states map[string]bool, uids map[string]int) (r refRecord, ok bool) {
	role := strings.ToLower(n.Role)
	kind := kinds[role]
	r = refRecord{role: role, printed: role, name: n.Name, value: n.Value}
	switch {
	case !refWord.MatchString(n.Role):
		r.printed = strconv.Quote(role)
	case role == "rootwebarea" || role == "webarea":
		r.printed = "page"
	case role == "statictext":
		r.printed = "text"
	case role == "labeltext":
		r.printed = "label"
	}
	for _, label := range []struct{ name, yes, no string }{
		{"disabled", "disabled", ""}, {"checked", "checked", "unchecked"}, {"expanded", "expanded", "collapsed"},
		{"selected", "selected", ""}, {"focused", "focused", ""}, {"editable", "editable", ""},
	} {
		switch is, ok := states[label.name]; {
		case ok && is:
			r.labels = append(r.labels, label.yes)
		case ok && label.no != "":
			r.labels = append(r.labels, label.no)
		}
	}
	clickable := states["focusable"] || states["clickable"]
	if n.Backend > 0 && role != "rootwebarea" && role != "webarea" && (kind&control != 0 || clickable || kind&structural == 0) {
		r.uid = "u" + strconv.FormatInt(n.Backend, 36)
		if uids[r.uid]++; uids[r.uid] > 1 {
			r.uid += fmt.Sprintf("_%d", uids[r.uid])
		}
	}
	silent := n.Name == "" && n.Value == ""
	switch role {
	case "inlinetextbox":
		return r, false
	case "labeltext":
		return r, !silent || len(r.labels) > 0
	case "generic", "presentational", "none":
		others := slices.DeleteFunc(slices.Clone(r.labels), func(s string) bool { return s == "editable" })
		return r, !silent || len(others) > 0 || clickable
	}
	return r, true
}

func (r refRecord) line() string {
	line := strings.Repeat("  ", r.depth)
	if r.uid != "" {
		line += "[" + r.uid + "] "
	}
	line += r.printed
	if r.name != "" {
		line += " " + strconv.Quote(r.name)
	}
	if r.value != "" && r.value != r.name {
		line += " = " + strconv.Quote(r.value)
	}
	if len(r.labels) > 0 && r.role != "statictext" {
		line += " {" + strings.Join(r.labels, ",") + "}"
	}
	return line
}

// checkReference compares a payload's view, or decline, with the reference's.
func checkReference(t testing.TB, payload []byte) {
	t.Helper()
	want, reason := refView(payload)
	p, err := Read(payload)
	if err == nil && p.Shape == ShapeBundle {
		return // the reference knows no bundles
	}
	if err != nil {
		if got := err.(*Decline).Reason; got != reason && !isBundle(payload) {
			t.Fatalf("declined %s, the reference %q", err, reason)
		}
		return
	}
	if reason != "" {
		t.Fatalf("read, the reference declines %s", reason)
	}
	v, err := p.View(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v.Text != want {
		t.Fatalf("view\n%s\nthe reference's\n%s", v.Text, want)
	}
	if !utf8.ValidString(v.Text) {
		t.Fatal("the view is not UTF-8")
	}
}

func isBundle(payload []byte) bool {
	return json.Valid(payload) && len(last(bytes.TrimSpace(payload), "frames")) > 0
}
