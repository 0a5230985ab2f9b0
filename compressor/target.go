package compressor

// Target is what a uid names: a node, and all that must still be true of it when
// it is acted on. The JSON names are the wire's.
type Target struct {
	UID              string `json:"uid"`
	Session          int    `json:"session"`  // ordinal of the frame's CDP session; 0 is the tab's own
	TargetID         string `json:"targetId"` // CDP target of that session; "" is the tab's own
	FrameID          string `json:"frameId"`
	LoaderID         string `json:"loaderId"` // the document
	Origin           string `json:"origin"`
	BackendDOMNodeID int64  `json:"backendDOMNodeId"`
	NodeID           string `json:"nodeId"` // AX nodeId, to sort candidates, never checked
	Role             string `json:"role"`   // lower case
	Name             string `json:"name"`   // white space folded
	Context          string `json:"context"`
	NameExact        bool   `json:"nameExact"`    // another name here differs in its trailing count alone
	ContextExact     bool   `json:"contextExact"` // likewise
	Secret           bool   `json:"secret"`       // its value must never be read back
}
