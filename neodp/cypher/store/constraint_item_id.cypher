// One item per id and profile; its index also finds and orders a profile's items.
CREATE CONSTRAINT neodp_item_id IF NOT EXISTS FOR (i:Item) REQUIRE (i.profile, i.id) IS UNIQUE
