package compressor

import (
	"reflect"
	"testing"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	payload := bundle(`{"0":{"3":{"type":"password"},"4":{"id":"card-number"}}}`,
		frame("A", "", 0, 0, `,"loaderId":"L1","origin":"https://a.example"`,
			ax(1, "RootWebArea", "a", 2, 3, 4, 5, 6)+","+ax(2, "BUTTON", " Pay  now ")+","+ax(3, "textbox", "P")+","+ax(4, "textbox", "N")+","+ax(5, "Iframe", "")+","+ax(6, "textbox", "Verification code")),
		frame("B", "A", 5, 2, `,"loaderId":"L2","targetId":"T","origin":"https://b.example"`, ax(2, "row", "", 3, 4)+","+ax(3, "rowheader", "ORD-1")+","+ax(4, "button", "Password help")))
	a := Target{FrameID: "A", LoaderID: "L1", Origin: "https://a.example"}
	b := Target{Session: 2, TargetID: "T", FrameID: "B", LoaderID: "L2", Origin: "https://b.example"}
	with := func(t Target, uid string, backend int64, id, role, name, context string, secret bool) Target {
		t.UID, t.BackendDOMNodeID, t.NodeID, t.Role, t.Name, t.Context, t.Secret = uid, backend, id, role, name, context, secret
		return t
	}
	want := []Target{
		with(a, "u2", 2, "2", "button", "Pay now", "", false),
		with(a, "u3", 3, "3", "textbox", "P", "", true),
		with(a, "u4", 4, "4", "textbox", "N", "", true),
		with(a, "u5", 5, "5", "iframe", "", "", false),
		with(b, "f2u4", 4, "4", "button", "Password help", "ORD-1", false),
		with(a, "u6", 6, "6", "textbox", "Verification code", "", true),
	}
	if got := mustRead(t, payload).Targets(); !reflect.DeepEqual(got, want) {
		t.Errorf("targets\n%+v\nwant\n%+v", got, want)
	}
}

// TestFrameID: outside of bundles the nearest node above that names a frame
// counts, and for what stands under none the first that does.
func TestFrameID(t *testing.T) {
	t.Parallel()
	payload := `[{"nodeId":"9","role":{"value":"button"},"backendDOMNodeId":9},` +
		`{"nodeId":"1","role":{"value":"RootWebArea"},"frameId":"A","childIds":["2","3"]},{"nodeId":"2","role":{"value":"button"},"backendDOMNodeId":2},` +
		`{"nodeId":"3","role":{"value":"Iframe"},"backendDOMNodeId":3,"childIds":["4"]},{"nodeId":"4","ignored":true,"frameID":"B","childIds":["5"]},{"nodeId":"5","role":{"value":"button"},"backendDOMNodeId":5}]`
	got := map[string]string{}
	for _, target := range mustRead(t, []byte(payload)).Targets() {
		got[target.UID] = target.FrameID
	}
	if want := map[string]string{"u9": "A", "u2": "A", "u3": "A", "u5": "B"}; !reflect.DeepEqual(got, want) {
		t.Errorf("frames %v, want %v", got, want)
	}
}

// TestContextStaysInItsFrame: a row around an iframe is no row of what is in it.
func TestContextStaysInItsFrame(t *testing.T) {
	t.Parallel()
	payload := bundle(`{"0":{"5":{"clickable":true}}}`,
		frame("A", "", 0, 0, "", ax(1, "row", "", 2, 3, 4, 5)+","+ax(2, "Iframe", "")+","+ax(3, "rowheader", "ORD-1")+","+ax(4, "button", "Go")+","+ignored(5)),
		frame("B", "A", 2, 0, "", ax(7, "heading", "Inner", 8)+","+ax(8, "button", "b")))
	got := map[string]string{}
	for _, target := range mustRead(t, payload).Targets() {
		got[target.UID] = target.Context
	}
	if want := map[string]string{"u2": "ORD-1", "u8": "", "u4": "ORD-1", "u5": "ORD-1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("contexts %v, want %v", got, want)
	}
}
