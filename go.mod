module handrail

go 1.26
