// Last part: what the page is given, a decision map.
export default { render: renderWith(MapView, "atlas-map") };
