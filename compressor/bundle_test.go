package compressor

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// bundle makes a bundle of frames and, when there is one, a layout.
func bundle(layout string, frames ...string) []byte {
	if layout != "" {
		layout = `,"layout":` + layout
	}
	return []byte(`{"v":1,"frames":[` + strings.Join(frames, ",") + `]` + layout + `}`)
}

// frame makes a frame; more are further members.
func frame(id, parent string, owner, session int, more, nodes string) string {
	return fmt.Sprintf(`{"frameId":%q,"parent":%q,"ownerBackendNodeId":%d,"session":%d,"nodes":[%s]%s}`, id, parent, owner, session, nodes, more)
}

// ax makes a node, whose backend id is its nodeId unless it is ignored text.
func ax(id int, role, name string, children ...int) string {
	ids := strings.Fields(strings.Trim(fmt.Sprint(children), "[]"))
	for i := range ids {
		ids[i] = `"` + ids[i] + `"`
	}
	return fmt.Sprintf(`{"nodeId":"%d","role":{"value":%q},"name":{"value":%q},"backendDOMNodeId":%d,"childIds":[%s]}`, id, role, name, id, strings.Join(ids, ","))
}

func ignored(id int, children ...int) string {
	return strings.Replace(ax(id, "none", "", children...), `{`, `{"ignored":true,`, 1)
}

func TestBundle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		payload []byte
		view    string
	}{
		{"a child frame under its iframe, behind the iframe's own children", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2, 4)+","+ax(2, "Iframe", "i", 3)+","+ax(3, "group", "g")+","+ax(4, "button", "b")),
			frame("B", "A", 2, 0, "", ax(5, "RootWebArea", "c"))),
			"page \"a\"\n  [u2] iframe \"i\"\n    group \"g\"\n    page \"c\"\n  [u4] button \"b\""},
		{"sessions keep equal backend ids apart", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "", 2, 3)+","+ax(2, "button", "x")+","+ax(3, "Iframe", "")),
			frame("B", "A", 3, 2, "", ax(2, "button", "y")),
			frame("C", "A", 3, 10, "", ax(2, "button", "z"))),
			"page\n  [u2] button \"x\"\n  [u3] iframe\n    [f2u2] button \"y\"\n    [f10u2] button \"z\""},
		{"equal ids of one session are counted over all its frames", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "", 3, 2)+","+ax(2, "button", "second")+","+ax(3, "Iframe", "")),
			frame("B", "A", 3, 0, "", ax(2, "button", "first"))),
			"page\n  [u3] iframe\n    [u2] button \"first\"\n  [u2_2] button \"second\""},
		{"frames in frames, children listed before parents", bundle("",
			frame("C", "B", 2, 0, "", ax(9, "button", "c")),
			frame("B", "A", 2, 3, "", ax(1, "RootWebArea", "b", 2)+","+ax(2, "Iframe", "")),
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2)+","+ax(2, "Iframe", ""))),
			"page \"a\"\n  [u2] iframe\n    page \"b\"\n      [f3u2] iframe\n        [u9] button \"c\""},
		{"an iframe that is not in the tree", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2)+","+ax(2, "button", "b")+","+ax(3, "group", "left over")),
			frame("B", "A", 99, 0, "", ax(5, "button", "c"))),
			"page \"a\"\n  [u2] button \"b\"\ngroup \"left over\"\n  [u5] button \"c\""},
		{"an iframe that is ignored", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2, 3)+","+ignored(2)+","+ax(3, "button", "b")),
			frame("B", "A", 2, 0, "", ax(5, "button", "c"))),
			"page \"a\"\n  [u5] button \"c\"\n  [u3] button \"b\""},
		{"a parent that is not there, or the frame itself", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a")),
			frame("B", "Z", 1, 0, "", ax(5, "button", "b")),
			frame("C", "C", 0, 0, "", ax(6, "button", "c")),
			frame("D", "", 0, 0, "", ax(7, "button", "d"))),
			"page \"a\"\n  [u5] button \"b\"\n  [u6] button \"c\"\n  [u7] button \"d\""},
		{"parents in a circle", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a")),
			frame("B", "C", 0, 0, "", ax(5, "button", "b")),
			frame("C", "B", 0, 0, "", ax(6, "button", "c"))),
			"page \"a\"\n  [u5] button \"b\"\n    [u6] button \"c\""},
		{"all frames have a parent", bundle("",
			frame("A", "Z", 0, 0, "", ax(1, "RootWebArea", "a"))),
			"page \"a\""},
		{"the origin where it differs", bundle("",
			frame("A", "", 0, 0, `,"origin":"https://a.example"`, ax(1, "RootWebArea", "a", 2, 3, 4, 5)+","+ax(2, "Iframe", "i")+","+ax(3, "Iframe", "j")+","+ax(4, "Iframe", "k")+","+ax(5, "Iframe", "l")),
			frame("B", "A", 2, 0, `,"origin":"https://a.example"`, ax(6, "group", "g")),
			frame("C", "A", 3, 0, `,"origin":"http://[::1]:8080"`, ax(7, "group", "g")),
			frame("D", "A", 4, 0, `,"origin":"null"`, ax(8, "group", "g")),
			frame("E", "A", 5, 0, `,"origin":"https://x (not read: y) \"\n[u9]"`, ax(9, "group", "g"))),
			"page \"a\"\n  [u2] iframe \"i\"\n    group \"g\"\n  [u3] iframe \"j\" http://[::1]:8080\n    group \"g\"\n  [u4] iframe \"k\" null\n    group \"g\"\n  [u5] iframe \"l\" (origin \"https://x (not read: y) \\\"\\n[u9]\")\n    group \"g\""},
		{"frames that were not read", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2, 3, 4, 5)+","+ax(2, "Iframe", "i")+","+ax(3, "Iframe", "j")+","+ignored(4)+","+ax(5, "Iframe", "k")),
			frame("B", "A", 2, 0, `,"error":"left_out"`, ""),
			frame("C", "A", 3, 0, `,"error":"Went\n(away)"`, ax(9, "button", "not shown")),
			frame("D", "A", 4, 0, `,"error":"timeout"`, ""),
			frame("E", "A", 5, 0, "", ""),
			frame("F", "A", 5, 0, "", ax(9, "InlineTextBox", "x"))),
			"page \"a\"\n  [u2] iframe \"i\" (not read: left_out)\n  [u3] iframe \"j\" (not read: \"Went (away)\")\n  iframe (not read: timeout)\n  [u5] iframe \"k\" (not read: not_ax_tree)\n    iframe (not read: no_records)"},
		{"below a frame that was not read", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2)+","+ax(2, "Iframe", "i")),
			frame("B", "A", 2, 0, `,"error":"timeout"`, ""),
			frame("C", "B", 7, 0, "", ax(9, "button", "c"))),
			"page \"a\"\n  [u2] iframe \"i\" (not read: timeout)\n    [u9] button \"c\""},
		{"repeated text is judged frame by frame", bundle("",
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "Save", 2)+","+ax(2, "Iframe", "")),
			frame("B", "A", 2, 0, "", ax(3, "StaticText", "Save"))),
			"page \"Save\"\n  [u2] iframe\n    text \"Save\""},
		{"clickable by layout, in the frames of its session", bundle(`{"0":{"2":{"clickable":true,"box":[0,0,1,1]},"3":{"clickable":false},"x":{"clickable":true}},"y":7,"2":null}`,
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2, 3, 4)+","+ax(2, "generic", "")+","+ax(3, "generic", "")+","+ax(4, "Iframe", "")),
			frame("B", "A", 4, 2, "", ax(2, "paragraph", ""))),
			"page \"a\"\n  [u2] generic\n  [u4] iframe\n    paragraph"},
		{"ignored but clickable and rendered", bundle(`{"0":{"2":{"clickable":true},"3":{"clickable":true,"rendered":false},"4":{"clickable":true},"5":{"clickable":true,"rendered":false}}}`,
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2, 3, 4, 5)+","+ignored(2, 6)+","+ignored(3)+","+ax(4, "LabelText", "")+","+ax(5, "LabelText", "")+","+ax(6, "StaticText", "t"))),
			"page \"a\"\n  [u2] generic\n    text \"t\"\n  [u4] label"},
		{"the last layout counts", bundle(`{"0":{"2":{"clickable":true},"2":{}},"0":{"2":{"clickable":true,"clickable":false}}}`,
			frame("A", "", 0, 0, "", ax(1, "RootWebArea", "a", 2)+","+ax(2, "generic", ""))),
			"page \"a\""},
		{"all ignored, one clickable", bundle(`{"0":{"2":{"clickable":true}}}`, frame("A", "", 0, 0, "", ignored(2))), "[u2] generic"},
		{"a negative session is none", bundle("", frame("A", "", 0, -1, "", ax(2, "button", ""))), "[u2] button"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := mustRead(t, test.payload)
			v := mustView(t, p, Options{})
			if v.Text != test.view {
				t.Errorf("view\n%s\nwant\n%s", v.Text, test.view)
			}
			checkView(t, p, v)
		})
	}
}

// TestRootDeclines: a child frame is noted, the root frame declines the whole.
func TestRootDeclines(t *testing.T) {
	t.Parallel()
	good, bad := ax(1, "RootWebArea", "a"), `{"nodeId":"1"}`
	if _, err := Read(bundle("", frame("A", "", 0, 0, "", good), frame("B", "A", 0, 0, "", bad))); err != nil {
		t.Errorf("bad child frame: %v", err)
	}
	_, err := Read(bundle("", frame("B", "A", 0, 0, "", good), frame("A", "", 0, 0, "", bad)))
	var d *Decline
	if !errors.As(err, &d) || d.Reason != ReasonEmptyRole {
		t.Errorf("bad root frame: %v", err)
	}
}

func TestBundleFacts(t *testing.T) {
	t.Parallel()
	p := mustRead(t, []byte(`{"v":1,"capture":"c\u0061fe","tab":7,"url":"https://a.example/","title":"T","time":1764547200000,"complete":true,"redacted":2,`+
		`"frames":[{"frameId":"A","targetId":"","loaderId":"L","url":"u","origin":"o","session":3,"pending":[1],"error":null,"nodes":[`+ax(1, "button", "b")+`]}]}`))
	if p.Capture != "cafe" || p.Tab != 7 || p.URL != "https://a.example/" || p.Title != "T" || p.Time != 1764547200000 || !p.Complete || p.Redacted != 2 {
		t.Errorf("page %+v", p)
	}
	f := p.Frames[0]
	if f.ID != "A" || f.LoaderID != "L" || f.URL != "u" || f.Origin != "o" || f.Session != 3 || f.Err != "" {
		t.Errorf("frame %+v", f)
	}
}

// TestManyFrames: their number costs no more than their count, whatever they say
// of their parents.
func TestManyFrames(t *testing.T) {
	t.Parallel()
	const n = 20_000
	frames := []string{frame("0", "", 0, 0, "", ax(1, "RootWebArea", "a", 2)+","+ax(2, "Iframe", ""))}
	for i := 1; i < n; i++ {
		frames = append(frames, frame(fmt.Sprint(i), fmt.Sprint(i-1), 2, i, "", ignored(1, 2)+","+ax(2, "generic", "", 3)+","+ax(3, "generic", "")), frame(fmt.Sprint("c", i), fmt.Sprint("c", i+1), 0, i, "", ax(1, "button", "b")))
	}
	p := mustRead(t, bundle("", frames...))
	if got := len(p.Targets()); got != n {
		t.Errorf("%d targets, want %d", got, n)
	}
}
