package compressor

import (
	"strings"
	"testing"
)

const nodesPage = `{"v":1,"frames":[{"frameId":"A","session":0,"nodes":[
{"nodeId":"1","role":{"value":"RootWebArea"},"name":{"value":"Shop"},"backendDOMNodeId":1,"childIds":["2","3","5","9","12"]},
{"nodeId":"2","role":{"value":"heading"},"name":{"value":"Tea"},"backendDOMNodeId":40,"childIds":["21"]},
{"nodeId":"21","role":{"value":"StaticText"},"name":{"value":"Tea"},"backendDOMNodeId":41},
{"nodeId":"3","role":{"value":"textbox"},"name":{"value":"Password"},"value":{"value":"hunter2"},"backendDOMNodeId":3,"childIds":["4"]},
{"nodeId":"4","role":{"value":"StaticText"},"name":{"value":"hunter2"},"backendDOMNodeId":4},
{"nodeId":"5","role":{"value":"list"},"backendDOMNodeId":5,"childIds":["6","8"]},
{"nodeId":"6","role":{"value":"listitem"},"backendDOMNodeId":6,"childIds":["61","7"]},
{"nodeId":"61","role":{"value":"ListMarker"},"name":{"value":"1."},"childIds":["62"]},
{"nodeId":"62","role":{"value":"StaticText"},"name":{"value":"1."}},
{"nodeId":"7","role":{"value":"link"},"name":{"value":"one more"},"description":{"value":"a  b"},"backendDOMNodeId":7,"childIds":["71","72"],
 "properties":[{"name":"url","value":{"value":"https://a.test/1"}}]},
{"nodeId":"71","role":{"value":"StaticText"},"name":{"value":"one"},"backendDOMNodeId":71},
{"nodeId":"72","role":{"value":"StaticText"},"name":{"value":"more"},"backendDOMNodeId":72},
{"nodeId":"8","role":{"value":"listitem"},"backendDOMNodeId":8,"childIds":["81"]},
{"nodeId":"81","role":{"value":"list"},"backendDOMNodeId":81,"childIds":["82"]},
{"nodeId":"82","role":{"value":"listitem"},"name":{"value":"inner"},"backendDOMNodeId":82},
{"nodeId":"9","role":{"value":"StaticText"},"name":{"value":"first"},"backendDOMNodeId":9,"childIds":["10"]},
{"nodeId":"10","role":{"value":"button"},"name":{"value":"second"},"backendDOMNodeId":9,"childIds":["11"]},
{"nodeId":"11","role":{"value":"button"},"name":{"value":"third"},"backendDOMNodeId":9},
{"nodeId":"12","role":{"value":"checkbox"},"name":{"value":"Agree"},"backendDOMNodeId":12,"properties":[{"name":"checked","value":{"value":"mixed"}}]}
]},{"frameId":"B","parent":"A","session":2,"ownerBackendNodeId":99,"nodes":[
{"nodeId":"1","role":{"value":"RootWebArea"},"backendDOMNodeId":1,"childIds":["2"]},
{"nodeId":"2","role":{"value":"table"},"backendDOMNodeId":2,"childIds":["3"]},
{"nodeId":"3","role":{"value":"row"},"backendDOMNodeId":3,"childIds":["4"]},
{"nodeId":"4","role":{"value":"cell"},"name":{"value":"there"},"backendDOMNodeId":4}
]}]}`

func TestFind(t *testing.T) {
	t.Parallel()
	p := mustRead(t, []byte(nodesPage))
	for _, test := range []struct{ name, uid, role, text string }{
		{"a uid", "u7", "link", "one more"},
		{"a heading without a uid in the view", "u14", "heading", "Tea"},
		{"a text that is not shown", "u15", "statictext", "Tea"},
		{"the node whose uid it is, not the first", "u9", "button", "second"},
		{"the second with the uid", "u9_2", "button", "third"},
		{"another session", "f2u4", "cell", "there"},
		{"list markers are no text", "u6", "listitem", "one more"},
		{"without text the name", "uc", "checkbox", "Agree"},
	} {
		n, found := p.Find(test.uid)
		if !found {
			t.Errorf("%s: %s is not found", test.name, test.uid)
			continue
		}
		if n.Role() != test.role || n.Text() != test.text {
			t.Errorf("%s: %s is %s %q", test.name, test.uid, n.Role(), n.Text())
		}
		if n.UID() != test.uid {
			t.Errorf("%s: %s spells itself %s", test.name, test.uid, n.UID())
		}
	}
	for _, uid := range []string{"", "u", "7", "U7", "u07", "u7_1", "u9_3", "u9_", "u9_02", "f0u7", "f1u7", "f02u4", "u-7", "u+7", "u7 ", "uzzzzzzzzzzzzzzzz", "fu7", "f-2u4"} {
		if n, found := p.Find(uid); found {
			t.Errorf("%q finds %s %q", uid, n.Role(), n.Name())
		}
	}
	// All uids of the view are found, and are those of their nodes.
	for _, target := range p.Targets() {
		n, found := p.Find(target.UID)
		if !found || n.Role() != target.Role || n.Name() != target.Name || n.Secret() != target.Secret {
			t.Errorf("%s is %v", target.UID, found)
		}
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	p := mustRead(t, []byte(nodesPage))
	node := func(uid string) Node {
		n, found := p.Find(uid)
		if !found {
			t.Fatalf("%s is not found", uid)
		}
		return n
	}
	link := node("u7")
	if link.URL() != "https://a.test/1" || link.Description() != "a b" || link.Checked() != "" {
		t.Errorf("the link says %q, %q, %q", link.URL(), link.Description(), link.Checked())
	}
	if got := node("uc").Checked(); got != "mixed" {
		t.Errorf("the checkbox is %q", got)
	}
	if !node("u3").Secret() || !node("u4").Secret() || link.Secret() {
		t.Error("the password and the text in it are secret, the link is not")
	}
	if got := node("u3").Value(); got != "hunter2" {
		t.Errorf("the value is %q", got)
	}
	if got := node("u1").Text(); strings.Contains(got, "hunter2") || !strings.HasPrefix(got, "Tea one more") {
		t.Errorf("the page's text is %q", got)
	}
	names := func(nodes func(func(Node) bool)) (s string) {
		for n := range nodes {
			s += n.UID() + " "
		}
		return s
	}
	if got := names(node("u7").All()); got != "u1z u20 " {
		t.Errorf("in the link are %s", got)
	}
	if got := names(node("u5").Inside("listitem")); got != "u6 u8 u2a " {
		t.Errorf("list items: %s", got)
	}
	if got := names(node("u5").Outermost("listitem")); got != "u6 u8 " {
		t.Errorf("outermost list items: %s", got)
	}
	if got := names(node("u6").Inside("text")); got != "u1z u20 " {
		t.Errorf("by the view's spelling, without the marker's: %s", got)
	}
	if table, found := node("f2u4").Table(); !found || table.UID() != "f2u2" {
		t.Errorf("the cell's table: %v", found)
	}
	if _, found := link.Table(); found {
		t.Error("the link stands in no table")
	}
}
