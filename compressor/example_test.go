package compressor_test

import (
	"errors"
	"fmt"
	"strings"

	"handrail/compressor"
)

const payload = `{"nodes":[
	{"nodeId":"1","role":{"value":"RootWebArea"},"name":{"value":"Orders"},"childIds":["2"],"backendDOMNodeId":1,"frameId":"F"},
	{"nodeId":"2","role":{"value":"row"},"childIds":["3","4"],"backendDOMNodeId":2},
	{"nodeId":"3","role":{"value":"rowheader"},"name":{"value":"ORD-0173"},"backendDOMNodeId":3},
	{"nodeId":"4","role":{"value":"button"},"name":{"value":"Review"},"backendDOMNodeId":4,
	 "properties":[{"name":"disabled","value":{"type":"boolean","value":true}}]}]}`

func ExampleRead() {
	page, err := compressor.Read([]byte(payload))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, target := range page.Targets() {
		fmt.Printf("%s is node %d, %s %q in %q\n", target.UID, target.BackendDOMNodeID, target.Role, target.Name, target.Context)
	}

	_, err = compressor.Read([]byte(`{"hello":"world"}`))
	var declined *compressor.Decline
	if errors.As(err, &declined) {
		fmt.Println("declined:", declined.Reason)
	}
	// Output:
	// u4 is node 4, button "Review" in "ORD-0173"
	// declined: not_ax_tree
}

func ExamplePage_View() {
	page, err := compressor.Read([]byte(payload))
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := page.View(compressor.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(view.Text)
	fmt.Println(view.UIDs)
	// Output:
	// page "Orders"
	//   row
	//     rowheader "ORD-0173"
	//     [u4] button "Review" {disabled}
	// [u4]
}

// orders is the page again, when the order can be reviewed and others looked for.
const orders = `{"nodes":[
	{"nodeId":"1","role":{"value":"RootWebArea"},"name":{"value":"Orders"},"childIds":["9","5","2"],"backendDOMNodeId":1,"frameId":"F"},
	{"nodeId":"9","role":{"value":"heading"},"name":{"value":"Open orders"},"backendDOMNodeId":9,"properties":[{"name":"level","value":{"value":1}}]},
	{"nodeId":"5","role":{"value":"form"},"name":{"value":"Search"},"childIds":["6","7"],"backendDOMNodeId":5},
	{"nodeId":"6","role":{"value":"textbox"},"name":{"value":"Customer"},"value":{"value":"Ada"},"backendDOMNodeId":6},
	{"nodeId":"7","role":{"value":"button"},"name":{"value":"Search"},"backendDOMNodeId":7},
	{"nodeId":"2","role":{"value":"row"},"childIds":["3","4"],"backendDOMNodeId":2},
	{"nodeId":"3","role":{"value":"rowheader"},"name":{"value":"ORD-0173"},"backendDOMNodeId":3},
	{"nodeId":"4","role":{"value":"button"},"name":{"value":"Review"},"backendDOMNodeId":4}]}`

func read(payload string) *compressor.Page {
	page, err := compressor.Read([]byte(payload))
	if err != nil {
		panic(err)
	}
	return page
}

// Balanced is what agents read of live pages.
func ExamplePage_View_balanced() {
	view, err := read(orders).View(compressor.Options{Profile: compressor.Balanced})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(view.Text)
	// Output:
	// page "Orders"
	//  h1 "Open orders"
	//  form "Search"
	//   [u6] textbox "Customer" = "Ada"
	//   [u7] button "Search"
	//  row · th "ORD-0173"
	//   [u4] button "Review"
}

// A text or, between slashes, a regular expression; what was found has a uid.
func ExamplePage_Search() {
	hits, err := read(orders).Search("/ORD-[0-9]+/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hits.Total, "line:", hits.Text)
	// Output:
	// 1 line: row · [u3] th "ORD-0173"
}

// A window holds as much of a view as a client takes; Next says where to go on.
func ExampleView_Window() {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf(`[u%d] button "Review order %02d"`, i, i))
	}
	view := &compressor.View{Text: strings.Join(lines, "\n")}
	for offset := 0; offset >= 0; {
		window := view.Window(offset, compressor.Limits{Chars: 600})
		first, _, _ := strings.Cut(window.Text, "\n")
		fmt.Println(first, window.Truncated, window.Next)
		offset = window.Next
	}
	// Output:
	// [u0] button "Review order 00" true 393
	// [u13] button "Review order 13" true 765
	// [u25] button "Review order 25" false -1
}

// What a page says now that it did not say before; nothing new is one word.
func ExampleDiff() {
	fmt.Println(compressor.Diff(read(payload), read(orders), compressor.Options{}).Text)
	fmt.Println(compressor.Diff(read(orders), read(orders), compressor.Options{}).Text)
	// Output:
	// + h1 "Open orders"
	// + form "Search"
	// +  [u6] textbox "Customer" = "Ada"
	// +  [u7] button "Search"
	// ~ [u4] button "Review"
	// unchanged
}

func ExamplePage_Structure() {
	for _, form := range read(orders).Structure().Forms {
		fmt.Println("form", form.Label)
		for _, field := range form.Fields {
			fmt.Printf("%s %s %q is %q\n", field.UID, field.Type, field.Label, field.Value)
		}
		for _, submit := range form.Submits {
			fmt.Println("sent by", submit.UID)
		}
	}
	// Output:
	// form Search
	// u6 textbox "Customer" is "Ada"
	// sent by u7
}
