package compressor_test

import (
	"errors"
	"fmt"

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
